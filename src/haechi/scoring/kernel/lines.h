/* Lines of JSON that all have the same keys in the same order, as columns. One odd line makes all of them odd. */

#ifndef HAECHI_LINES_H
#define HAECHI_LINES_H

#include "tokens.h"

#define MOST_COLUMNS 256

/* What is wanted of a key: nothing, a text, a number, or JSON as it is written or as a text holds it. */
enum { NOTHING = '-', TEXT = 't', NUMBER = 'n', JSON = 'j' };

typedef struct {
    Span names[MOST_COLUMNS];
    PyObject *columns[MOST_COLUMNS];
    const char *kinds;
    Py_ssize_t count;
    char *room;
} Shape;

/* The value of a cell; NULL without an error if it is odd. */
static PyObject *cell(Shape *shape, char kind, Span token)
{
    char first = *token.start;
    int is_number = first == '-' || (first >= '0' && first <= '9');
    if (first == 'n') {
        Py_INCREF(Py_None);
        return Py_None;
    }
    if (kind == NUMBER) {
        Span digits = token;
        int is_whole = !span_has(digits, '.') && !span_has(digits, 'e') && !span_has(digits, 'E');
        if (!is_number || (is_whole && !json_is_whole(token, 15)))
            return NULL;
        return PyFloat_FromDouble(number_of(token));
    }
    if (first == '"')
        return text_of(token, shape->room);
    if (kind == JSON || (is_number && json_is_whole(token, 18)))
        return PyBytes_FromStringAndSize(token.start, token.end - token.start);
    return NULL;
}

/* 1 if the line fits the shape and its cells are kept. */
static int read_line(Shape *shape, const char *at, const char *end)
{
    Walk walk = {at + 1, end, 0, 0};
    Span key, token;
    Py_ssize_t place = 0;
    int more;
    while ((more = json_next_member(&walk, &key)) > 0) {
        if (place == shape->count
            || !span_is(key, shape->names[place].start, (size_t)(shape->names[place].end - shape->names[place].start)))
            return 0;
        token.start = walk.at;
        token.end = walk.at = json_value(walk.at, end, 1);
        if (walk.at == NULL)
            return 0;
        char kind = shape->kinds[place];
        if (kind != NOTHING) {
            PyObject *value = cell(shape, kind, token);
            if (value == NULL)
                return 0;
            int kept = PyList_Append(shape->columns[place], value) == 0;
            Py_DECREF(value);
            if (!kept)
                return 0;
        }
        place++;
    }
    return more == 0 && !walk.escaped && place == shape->count && json_blank(walk.at, end) == end;
}

static int read_block(Shape *shape, const char *at, const char *end)
{
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL)
            stop = end;
        const char *start = json_blank(at, stop);
        if (start < stop && (*start != '{' || !read_line(shape, start, stop)))
            return 0;
        at = stop + 1;
    }
    return 1;
}

/* A list for every key of which something is wanted. */
static PyObject *columns_of(Shape *shape)
{
    PyObject *all = PyList_New(0);
    for (Py_ssize_t place = 0; all != NULL && place < shape->count; place++) {
        if (shape->kinds[place] == NOTHING)
            continue;
        shape->columns[place] = PyList_New(0);
        int kept = shape->columns[place] != NULL && PyList_Append(all, shape->columns[place]) == 0;
        Py_XDECREF(shape->columns[place]); /* the list of all keeps it */
        if (!kept)
            Py_CLEAR(all);
    }
    return all;
}

/* read_lines(block, keys, kinds) -> [column, ...] or None */
static PyObject *read_lines(PyObject *module, PyObject *args)
{
    const char *block;
    Py_ssize_t length, kinds;
    PyObject *keys;
    Shape shape;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#O!y#", &block, &length, &PyTuple_Type, &keys, &shape.kinds, &kinds))
        return NULL;
    shape.count = PyTuple_Size(keys);
    if (shape.count != kinds || kinds > MOST_COLUMNS)
        return PyErr_Format(PyExc_ValueError, "keys and kinds do not fit");
    for (Py_ssize_t place = 0; place < kinds; place++) {
        char *name;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(keys, place), &name, &size) < 0)
            return NULL;
        shape.names[place].start = name;
        shape.names[place].end = name + size;
    }
    shape.room = PyMem_Malloc((size_t)length + 1);
    if (shape.room == NULL)
        return PyErr_NoMemory();
    PyObject *all = columns_of(&shape);
    int fits = all != NULL && read_block(&shape, block, block + length);
    PyMem_Free(shape.room);
    if (fits)
        return all;
    Py_XDECREF(all);
    if (PyErr_Occurred())
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

#endif
