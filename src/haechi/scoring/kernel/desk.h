/* A payload laid out on a desk: its members, and those of every entry of dataUIList. */

#ifndef HAECHI_DESK_H
#define HAECHI_DESK_H

#include "tokens.h"

#define MOST_TOP 128
#define MOST_OWN 128
#define MOST_KEPT 4096
#define MOST_ENTRIES 256
#define MOST_KEYS 32
#define ROOM (128 * 1024)

typedef struct {
    Member *all;
    int n;
} Members;

/* An entry of dataUIList: the members of its uiValue where that is an object, else its own, else none. */
typedef struct {
    Span text;
    Members members;
    int is_object, is_shown;
} Entry;

typedef struct {
    const char *text;
    size_t length;
} Name;

/* The keys of the signature: plain ones, then those inside another (`value.nodeId`). */
typedef struct {
    Name plain[MOST_KEYS], outer[MOST_KEYS], inner[MOST_KEYS];
    int n_plain, n_inner;
    PyObject *digests, *empty, *no_answer;
} Plan;

typedef struct {
    Member top[MOST_TOP], own[MOST_OWN], kept[MOST_KEPT];
    Entry entries[MOST_ENTRIES];
    Members payload;
    int n_kept, n_entries, has_list;
    char cores[ROOM], content[ROOM];
    Plan plan;
} Desk;

#define IS(span, literal) span_is(span, literal, sizeof(literal) - 1)
#define FIND(members, literal) find(members, literal, sizeof(literal) - 1)

static const Span ABSENT = {NULL, NULL};

/* The last member of a name counts, as in every object of Python; ABSENT where there is none, or it is null. */
static Span find(Members members, const char *name, size_t length)
{
    for (int place = members.n - 1; place >= 0; place--)
        if (span_is(members.all[place].key, name, length))
            return *members.all[place].value.start == 'n' ? ABSENT : members.all[place].value;
    return ABSENT;
}

static int add(Members *members, int most, Span key, const char *start, const char *end)
{
    Member one = {key, {start, end}};
    if (members->n == most || end == NULL)
        return 0;
    members->all[members->n++] = one;
    return 1;
}

/* The members of an object; what stands behind it, or NULL. */
static const char *index_object(Members *members, int most, const char *at, const char *end, int depth)
{
    Walk walk = {at + 1, end, 0, 0};
    Span key;
    int more;
    while ((more = json_next_member(&walk, &key)) > 0) {
        const char *start = walk.at;
        walk.at = json_value(start, end, depth + 1);
        if (!add(members, most, key, start, walk.at))
            return NULL;
    }
    return more == 0 && !walk.escaped ? walk.at : NULL;
}

static const char *index_entry(Desk *desk, Entry *entry, const char *at, const char *end)
{
    Members own = {desk->own, 0}, kept = {desk->kept + desk->n_kept, 0};
    Walk walk = {at + 1, end, 0, 0};
    Span key;
    int more, has_shown = 0;
    entry->is_object = 1;
    while ((more = json_next_member(&walk, &key)) > 0) {
        const char *start = walk.at;
        int is_shown = IS(key, "uiValue");
        if (is_shown && has_shown++)
            return NULL;
        if (is_shown && *start == '{') {
            walk.at = index_object(&kept, MOST_KEPT - desk->n_kept, start, end, 3);
            entry->is_shown = 1;
        } else {
            walk.at = json_value(start, end, 3);
        }
        if (!add(&own, MOST_OWN, key, start, walk.at))
            return NULL;
    }
    if (more < 0 || walk.escaped)
        return NULL;
    if (!entry->is_shown) {
        if (own.n > MOST_KEPT - desk->n_kept)
            return NULL;
        memcpy(kept.all, own.all, (size_t)own.n * sizeof(Member));
        kept.n = own.n;
    }
    entry->members = kept;
    desk->n_kept += kept.n;
    return walk.at;
}

static const char *index_entries(Desk *desk, const char *at, const char *end)
{
    Walk walk = {at + 1, end, 0, 0};
    int more;
    while ((more = json_next_element(&walk)) > 0) {
        if (desk->n_entries == MOST_ENTRIES)
            return NULL;
        Entry *entry = &desk->entries[desk->n_entries++];
        memset(entry, 0, sizeof *entry);
        entry->text.start = walk.at;
        walk.at = *walk.at == '{' ? index_entry(desk, entry, walk.at, end) : json_value(walk.at, end, 2);
        if (walk.at == NULL)
            return NULL;
        entry->text.end = walk.at;
    }
    return more == 0 ? walk.at : NULL;
}

/* Everything in the payload has its place on the desk, or the payload is odd. */
static int index_payload(Desk *desk, const char *at, const char *end)
{
    Walk walk = {json_blank(at, end), end, 0, 0};
    Span key;
    int more;
    desk->payload.all = desk->top;
    desk->payload.n = desk->n_kept = desk->n_entries = desk->has_list = 0;
    if (walk.at >= end || *walk.at++ != '{')
        return 0;
    while ((more = json_next_member(&walk, &key)) > 0) {
        const char *start = walk.at;
        int is_list = IS(key, "dataUIList");
        if (IS(key, "accuracyChecks") || (is_list && desk->has_list++))
            return 0;
        if (is_list && *start != '[' && *start != 'n')
            return 0;
        walk.at = is_list && *start == '[' ? index_entries(desk, start, end) : json_value(start, end, 1);
        if (!add(&desk->payload, MOST_TOP, key, start, walk.at))
            return 0;
    }
    return more == 0 && !walk.escaped && json_blank(walk.at, end) == end;
}

#endif
