/* A strict walk over JSON text: where a value ends, and what stands at a key.

   Nothing is understood here, only found. Whatever is not plain is *odd* (NULL, or -1): damaged, deeply nested, half
   a character, a number that may be too large. Odd text is no error: the exact reader in Python decides what it is.
   No function reads at or behind `end`. */

#ifndef HAECHI_JSON_H
#define HAECHI_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEEPEST 64
#define LONGEST_NUMBER 40 /* with exponents of two digits at most no such number is beyond a double */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define ZERO_IN(word) (((word) - EACH(1)) & ~(word) & EACH(0x80))

typedef struct {
    const char *start, *end;
} Span;

typedef struct {
    Span key;   /* without its quotes */
    Span value; /* with its quotes or brackets */
} Member;

/* A walk through an object or a list; `at` stands behind the opening bracket at first. `escaped` becomes 1 as soon
   as a key has a backslash: then its name is not what stands between its quotes. */
typedef struct {
    const char *at, *end;
    int begun, escaped;
} Walk;

static inline const char *json_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static inline int span_is(Span span, const char *text, size_t length)
{
    return (size_t)(span.end - span.start) == length && memcmp(span.start, text, length) == 0;
}

static inline int span_has(Span span, char sign)
{
    return memchr(span.start, sign, (size_t)(span.end - span.start)) != NULL;
}


/* Whether one of eight bytes may end a run of ordinary ones: a quote, a backslash or a control character. */
static int is_special(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return ((ZERO_IN(word ^ EACH('"')) | ZERO_IN(word ^ EACH('\\'))) != 0)
        || (((word - EACH(0x20)) & ~word & EACH(0x80)) != 0);
}

static int has_backslash(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return ZERO_IN(word ^ EACH('\\')) != 0;
}

static int hexadecimal(const char *at)
{
    int code = 0;
    for (int place = 0; place < 4; place++) {
        char sign = at[place];
        int digit = sign >= '0' && sign <= '9' ? sign - '0'
            : sign >= 'a' && sign <= 'f'       ? sign - 'a' + 10
            : sign >= 'A' && sign <= 'F'       ? sign - 'A' + 10
                                               : -1;
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

static int is_short(char sign)
{
    switch (sign) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return 1;
    default:
        return 0;
    }
}

static const char *escape(const char *at, const char *end)
{
    if (end - at < 2)
        return NULL;
    if (at[1] != 'u')
        return is_short(at[1]) ? at + 2 : NULL;
    int code = end - at < 6 ? -1 : hexadecimal(at + 2);
    if (code < 0)
        return NULL;
    if (code < 0xD800 || code > 0xDFFF)
        return at + 6;
    int low = code > 0xDBFF || end - at < 12 || at[6] != '\\' || at[7] != 'u' ? -1 : hexadecimal(at + 8);
    return low >= 0xDC00 && low <= 0xDFFF ? at + 12 : NULL;
}

/* From the quote that opens a string to behind the one that closes it; `escaped` is set to 1 at a backslash. */
static const char *string(const char *at, const char *end, int *escaped)
{
    for (at++;;) {
        while (end - at >= 8 && !is_special(at))
            at += 8;
        for (int left = 8; left; left--) {
            if (at >= end || (unsigned char)*at < 0x20)
                return NULL;
            if (*at == '"')
                return at + 1;
            if (*at != '\\') {
                at++;
                continue;
            }
            *escaped = 1;
            at = escape(at, end);
            if (at == NULL)
                return NULL;
        }
    }
}

static const char *digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

static const char *number(const char *at, const char *end)
{
    const char *start = at, *stop;
    at += *at == '-';
    stop = digits(at, end);
    if (stop == at || (*at == '0' && stop - at > 1))
        return NULL;
    at = stop;
    if (at < end && *at == '.') {
        stop = digits(at + 1, end);
        if (stop == at + 1)
            return NULL;
        at = stop;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        stop = digits(at, end);
        if (stop == at || stop - at > 2)
            return NULL;
        at = stop;
    }
    return at - start <= LONGEST_NUMBER ? at : NULL;
}

static const char *word(const char *at, const char *end, const char *text, size_t length)
{
    return (size_t)(end - at) >= length && memcmp(at, text, length) == 0 ? at + length : NULL;
}

/* To what comes next within brackets. 1: `at` stands at it, 0: it stands behind the closing bracket, -1: odd. */
static int next_within(Walk *walk, char closing)
{
    const char *at = json_blank(walk->at, walk->end), *end = walk->end;
    if (at < end && *at == closing) {
        walk->at = at + 1;
        return 0;
    }
    if (walk->begun) {
        if (at >= end || *at != ',')
            return -1;
        at = json_blank(at + 1, end);
        if (at < end && *at == closing)
            return -1;
    }
    walk->begun = 1;
    walk->at = at;
    return at < end ? 1 : -1;
}

/* The same for members: `at` stands at the value, behind its key. */
static int json_next_member(Walk *walk, Span *key)
{
    int found = next_within(walk, '}');
    if (found <= 0)
        return found;
    const char *at = walk->at, *end = walk->end;
    if (*at != '"')
        return -1;
    key->start = at + 1;
    at = string(at, end, &walk->escaped);
    if (at == NULL)
        return -1;
    key->end = at - 1;
    at = json_blank(at, end);
    if (at >= end || *at != ':')
        return -1;
    walk->at = json_blank(at + 1, end);
    return walk->at < end ? 1 : -1;
}

static int json_next_element(Walk *walk)
{
    return next_within(walk, ']');
}

static const char *json_value(const char *at, const char *end, int depth);

static const char *container(const char *at, const char *end, int depth)
{
    Walk walk = {at + 1, end, 0, 0};
    Span key;
    int more, is_object = *at == '{';
    while ((more = is_object ? json_next_member(&walk, &key) : json_next_element(&walk)) > 0) {
        walk.at = json_value(walk.at, end, depth + 1);
        if (walk.at == NULL)
            return NULL;
    }
    return more == 0 ? walk.at : NULL;
}

/* From the first sign of a value to behind its last. */
static const char *json_value(const char *at, const char *end, int depth)
{
    if (at >= end || depth > DEEPEST)
        return NULL;
    switch (*at) {
    case '"': {
        int escaped;
        return string(at, end, &escaped);
    }
    case '{':
    case '[':
        return container(at, end, depth);
    case 't':
        return word(at, end, "true", 4);
    case 'f':
        return word(at, end, "false", 5);
    case 'n':
        return word(at, end, "null", 4);
    default:
        return number(at, end);
    }
}

static char *put_code(unsigned code, char *out)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3F));
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    return out;
}

/* The text between the quotes of a string that json_value has passed; `out` has room for as much as is read. */
static size_t json_unescape(Span inside, char *out)
{
    const char *at = inside.start, *end = inside.end;
    char *begin = out;
    while (at < end) {
        if (end - at >= 8 && !has_backslash(at)) {
            memcpy(out, at, 8);
            out += 8;
            at += 8;
            continue;
        }
        while (at < end && *at != '\\')
            *out++ = *at++;
        if (at == end)
            break;
        switch (at[1]) {
        case 'u': {
            unsigned code = (unsigned)hexadecimal(at + 2);
            at += 6;
            if (code >= 0xD800 && code <= 0xDBFF) {
                code = 0x10000 + ((code - 0xD800) << 10) + ((unsigned)hexadecimal(at + 2) - 0xDC00);
                at += 6;
            }
            out = put_code(code, out);
            continue;
        }
        case 'b':
            *out++ = '\b';
            break;
        case 'f':
            *out++ = '\f';
            break;
        case 'n':
            *out++ = '\n';
            break;
        case 'r':
            *out++ = '\r';
            break;
        case 't':
            *out++ = '\t';
            break;
        default:
            *out++ = at[1];
        }
        at += 2;
    }
    return (size_t)(out - begin);
}

/* Whether a number that json_value has passed is a whole one of few digits, whose digits are its value. */
static int json_is_whole(Span number, int most_digits)
{
    const char *at = number.start + (*number.start == '-');
    if (*number.start == '-' && *at == '0')
        return 0; /* -0 is written otherwise */
    return digits(at, number.end) == number.end && number.end - at <= most_digits;
}

#endif
