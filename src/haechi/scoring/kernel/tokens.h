/* Tokens of JSON as objects of Python. */

#ifndef HAECHI_TOKENS_H
#define HAECHI_TOKENS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "json.h"

/* The number that a token is; correctly rounded, as every other reader rounds. */
static double number_of(Span token)
{
    char digits[64];
    size_t length = (size_t)(token.end - token.start);
    if (length >= sizeof digits)
        return -1.0;
    memcpy(digits, token.start, length);
    digits[length] = '\0';
    return PyOS_string_to_double(digits, NULL, NULL);
}

/* The text of a string token as bytes; `room` has as many bytes as the token. */
static PyObject *text_of(Span token, char *room)
{
    Span inside = {token.start + 1, token.end - 1};
    if (!span_has(inside, '\\'))
        return PyBytes_FromStringAndSize(inside.start, inside.end - inside.start);
    return PyBytes_FromStringAndSize(room, (Py_ssize_t)json_unescape(inside, room));
}

#endif
