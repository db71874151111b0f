/* JSON values written as orjson writes them with its keys in order; what would be written otherwise is odd. */

#ifndef HAECHI_CANONICAL_H
#define HAECHI_CANONICAL_H

#include "json.h"

#define MOST_MEMBERS 64
#define MOST_NESTED 12

/* Where is written to; a text that does not fit is odd. */
typedef struct {
    char *at, *end;
} Out;

static int put(Out *out, const char *text, size_t length)
{
    if ((size_t)(out->end - out->at) < length)
        return 0;
    memcpy(out->at, text, length);
    out->at += length;
    return 1;
}

/* How bytes compare, shorter first where one begins with the other. */
static int compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* A fraction of few digits in its shortest form: no double in between needs other digits, and none an exponent. */
static int is_plain_fraction(Span number)
{
    const char *whole = number.start + (*number.start == '-');
    const char *point = memchr(whole, '.', (size_t)(number.end - whole));
    if (point == NULL || span_has(number, 'e') || span_has(number, 'E') || number.end - whole > 16)
        return 0;
    if (*whole == '0' && point[1] == '0')
        return 0;
    return number.end[-1] != '0' || number.end - point == 2;
}

static int put_string(Out *out, Span token)
{
    Span inside = {token.start + 1, token.end - 1};
    if (!span_has(inside, '\\'))
        return put(out, token.start, (size_t)(token.end - token.start));
    if ((size_t)(out->end - out->at) < (size_t)(token.end - token.start) * 2)
        return 0;
    /* What was escaped is escaped anew where it must be: into the space behind, then back over it. */
    char *text = out->end - (inside.end - inside.start);
    size_t length = json_unescape(inside, text);
    *out->at++ = '"';
    for (size_t place = 0; place < length; place++) {
        char sign = text[place];
        const char *names = "\bb\ff\nn\rr\tt\"\"\\\\", *found = NULL;
        for (const char *name = names; *name; name += 2)
            if (*name == sign)
                found = name;
        if (found == NULL && (unsigned char)sign < 0x20)
            return 0;
        if (found != NULL)
            *out->at++ = '\\';
        *out->at++ = found ? found[1] : sign;
    }
    *out->at++ = '"';
    return 1;
}

/* Writes the value at `at`, which json_value has passed; returns what stands behind it, or NULL if it is odd. */
static const char *canonical(Out *out, const char *at, const char *end, int depth);

static const char *put_list(Out *out, const char *at, const char *end, int depth)
{
    Walk walk = {at + 1, end, 0, 0};
    int more;
    put(out, "[", 1);
    for (int place = 0; (more = json_next_element(&walk)) > 0; place++) {
        if (place && !put(out, ",", 1))
            return NULL;
        walk.at = canonical(out, walk.at, end, depth + 1);
        if (walk.at == NULL)
            return NULL;
    }
    return more == 0 && put(out, "]", 1) ? walk.at : NULL;
}

/* Puts a member where it belongs by its key; 0 if there are too many, or the key is there already. */
static int sort_in(Member *members, int known, Member one)
{
    size_t length = (size_t)(one.key.end - one.key.start);
    int place = known;
    if (known == MOST_MEMBERS)
        return 0;
    while (place) {
        Span before = members[place - 1].key;
        int order = compare(before.start, (size_t)(before.end - before.start), one.key.start, length);
        if (order == 0)
            return 0;
        if (order < 0)
            break;
        members[place] = members[place - 1];
        place--;
    }
    members[place] = one;
    return 1;
}

static const char *put_object(Out *out, const char *at, const char *end, int depth)
{
    Walk walk = {at + 1, end, 0, 0};
    Member members[MOST_MEMBERS], one;
    int known = 0, more;
    while ((more = json_next_member(&walk, &one.key)) > 0) {
        one.value.start = walk.at;
        one.value.end = walk.at = json_value(walk.at, end, depth + 1);
        if (walk.at == NULL || !sort_in(members, known++, one))
            return NULL;
    }
    if (more < 0 || walk.escaped || !put(out, "{", 1))
        return NULL;
    for (int place = 0; place < known; place++) {
        Span key = members[place].key, value = members[place].value;
        /* The key's quotes stand around it in the text. */
        if ((place && !put(out, ",", 1)) || !put(out, key.start - 1, (size_t)(key.end - key.start) + 2)
            || !put(out, ":", 1) || canonical(out, value.start, value.end, depth + 1) == NULL)
            return NULL;
    }
    return put(out, "}", 1) ? walk.at : NULL;
}

static const char *canonical(Out *out, const char *at, const char *end, int depth)
{
    if (depth > MOST_NESTED || out->at == out->end)
        return NULL;
    if (*at == '[')
        return put_list(out, at, end, depth);
    if (*at == '{')
        return put_object(out, at, end, depth);
    Span token = {at, json_value(at, end, depth)};
    if (token.end == NULL)
        return NULL;
    if (*at == '"')
        return put_string(out, token) ? token.end : NULL;
    int is_number = *at == '-' || (*at >= '0' && *at <= '9');
    if (is_number && !json_is_whole(token, 18) && !is_plain_fraction(token))
        return NULL;
    return put(out, at, (size_t)(token.end - at)) ? token.end : NULL;
}

#endif
