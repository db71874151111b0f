/* One pass over a payload: what the reader in Python (runs/payloads.py) reads of it, for all that is plain.

   What a value means is not decided here. The kernel looks for tokens and asks mappings that Python has filled or
   fills when asked: the verdict of a check by the token found, the result of checks by those that failed, the digest
   of a signature by its content. */

#ifndef HAECHI_PAYLOADS_H
#define HAECHI_PAYLOADS_H

#include "canonical.h"
#include "desk.h"

#include <math.h>

#define MOST_CHECKS 60

enum { FAILURE, SECONDS, SEVERAL, STATED, MESSAGE, SIGNATURE, WENT, COLUMNS };

/* Seconds as the payload has them, else those of the call; 0 if that is for the exact reader to say. */
static int read_seconds(Desk *desk, PyObject *latency, PyObject **seconds)
{
    Span token = FIND(desk->payload, "responseTimeSec");
    double found;
    if (token.start != NULL) {
        if (*token.start < '0' || *token.start > '9')
            return 0;
        found = number_of(token);
    } else if (latency != Py_None) {
        found = PyFloat_AsDouble(latency) / 1000;
    } else {
        Py_INCREF(Py_None);
        *seconds = Py_None;
        return FIND(desk->payload, "latency_ms").start == NULL;
    }
    if (!(found >= 0.0) || isinf(found)) {
        PyErr_Clear();
        return 0;
    }
    *seconds = PyFloat_FromDouble(found);
    return 1;
}

static int has_several(Span list)
{
    if (list.start == NULL || *list.start != '[')
        return 0;
    Walk walk = {list.start + 1, list.end, 0, 0};
    if (json_next_element(&walk) <= 0)
        return 0;
    walk.at = json_value(walk.at, list.end, 1);
    return walk.at != NULL && json_next_element(&walk) > 0;
}

/* 1 with its text; 0 for a message that is none; -1 where only spaces of some kind may be in it. */
static int read_message(Desk *desk, PyObject **message)
{
    Span token = FIND(desk->payload, "assistantMessage");
    if (token.start == NULL || *token.start != '"' || token.end - token.start == 2)
        return 0;
    if (token.end - token.start > ROOM)
        return -1;
    *message = text_of(token, desk->content);
    if (*message == NULL)
        return 0;
    char *text;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(*message, &text, &length) < 0)
        return 0;
    for (Py_ssize_t place = 0; place < length; place++) {
        unsigned char sign = (unsigned char)text[place];
        if ((sign > 0x20 && sign < 0x7F) || sign >= 0xE4) /* no space of Unicode begins like this */
            return 1;
    }
    return -1;
}

/* Puts the value of a key, or null; a comma before it. */
static int put_value(Out *out, Span token)
{
    if (token.start == NULL)
        return put(out, ",null", 5);
    return put(out, ",", 1) && canonical(out, token.start, token.end, 0) != NULL;
}

static int put_core(Desk *desk, Out *out, Entry *entry)
{
    Plan *plan = &desk->plan;
    if (!entry->is_object)
        return canonical(out, entry->text.start, entry->text.end, 0) != NULL;
    char *start = out->at;
    for (int place = 0; place < plan->n_plain; place++)
        if (!put_value(out, find(entry->members, plan->plain[place].text, plan->plain[place].length)))
            return 0;
    for (int place = 0; place < plan->n_inner; place++) {
        Member inside[MOST_OWN];
        Members members = {inside, 0};
        Name outer = plan->outer[place], inner = plan->inner[place];
        Span node = find(entry->members, outer.text, outer.length);
        if (node.start != NULL && *node.start == '{'
            && index_object(&members, MOST_OWN, node.start, node.end, 4) == NULL)
            return 0;
        if (!put_value(out, find(members, inner.text, inner.length)))
            return 0;
    }
    if (out->at == start && !put(out, "[", 1))
        return 0;
    *start = '['; /* over the first comma */
    return put(out, "]", 1);
}

/* The content that is signed: the entries' in order of their bytes, then the payload's; its length, 0 if odd. */
static size_t put_content(Desk *desk)
{
    Out cores = {desk->cores, desk->cores + ROOM}, content = {desk->content, desk->content + ROOM};
    Plan *plan = &desk->plan;
    Span order[MOST_ENTRIES];
    for (int number = 0; number < desk->n_entries; number++) {
        Span core = {cores.at, NULL};
        int place = number;
        if (!put_core(desk, &cores, &desk->entries[number]))
            return 0;
        core.end = cores.at;
        for (; place; place--) {
            Span before = order[place - 1];
            if (compare(before.start, (size_t)(before.end - before.start), core.start,
                    (size_t)(core.end - core.start)) <= 0)
                break;
            order[place] = before;
        }
        order[place] = core;
    }
    for (int place = 0; place < desk->n_entries; place++)
        if (!put(&content, place ? "," : "[", 1)
            || !put(&content, order[place].start, (size_t)(order[place].end - order[place].start)))
            return 0;
    Entry payload = {.members = desk->payload, .is_object = 1};
    int n_inner = plan->n_inner;
    plan->n_inner = 0;
    int fits = put(&content, ",", 1) && put_core(desk, &content, &payload) && put(&content, "]", 1);
    plan->n_inner = n_inner;
    return fits ? (size_t)(content.at - desk->content) : 0;
}

static int read_signature(Desk *desk, PyObject **signature)
{
    if (desk->n_entries == 0) {
        Py_INCREF(desk->plan.empty);
        *signature = desk->plan.empty;
        return 1;
    }
    size_t length = put_content(desk);
    if (length == 0)
        return 0;
    PyObject *content = PyBytes_FromStringAndSize(desk->content, (Py_ssize_t)length);
    if (content != NULL) {
        *signature = PyObject_GetItem(desk->plan.digests, content);
        Py_DECREF(content);
    }
    return 1;
}

/* Whether a token passes a check (key, text, verdicts); -1 on an error of Python's. */
static int passes(Span token, const char *text, Py_ssize_t length, PyObject *verdicts)
{
    Span inside = {token.start + 1, token.end - 1};
    if (*token.start == '"' && span_is(inside, text, (size_t)length) && !span_has(inside, '\\'))
        return 1;
    PyObject *raw = PyBytes_FromStringAndSize(token.start, token.end - token.start);
    PyObject *verdict = raw == NULL ? NULL : PyObject_GetItem(verdicts, raw);
    int passed = verdict == NULL ? -1 : PyObject_IsTrue(verdict);
    Py_XDECREF(raw);
    Py_XDECREF(verdict);
    return passed;
}

/* Asks every check of a program (results, check, …) of every shown entry; what its results have for those that
   failed, as bits. */
static int read_checks(Desk *desk, PyObject *program, PyObject **went)
{
    PyObject *results = PyTuple_GetItem(program, 0);
    Py_ssize_t count = PyTuple_Size(program) - 1;
    unsigned long long failed = 0;
    if (count > MOST_CHECKS)
        return 0;
    for (Py_ssize_t place = 0; place < count; place++) {
        PyObject *check = PyTuple_GetItem(program, place + 1), *verdicts = PyTuple_GetItem(check, 2);
        char *key, *text;
        Py_ssize_t key_length, text_length;
        int passed = 0;
        if (verdicts == NULL || PyBytes_AsStringAndSize(PyTuple_GetItem(check, 0), &key, &key_length) < 0
            || PyBytes_AsStringAndSize(PyTuple_GetItem(check, 1), &text, &text_length) < 0)
            return 1;
        for (int number = 0; number < desk->n_entries && !passed; number++) {
            Entry *entry = &desk->entries[number];
            Span token = entry->is_shown ? find(entry->members, key, (size_t)key_length) : ABSENT;
            if (token.start != NULL && (passed = passes(token, text, text_length, verdicts)) < 0)
                return 1;
        }
        if (!passed)
            failed |= 1ULL << place;
    }
    PyObject *bits = PyLong_FromUnsignedLongLong(failed);
    if (bits != NULL) {
        *went = PyObject_GetItem(results, bits);
        Py_DECREF(bits);
    }
    return 1;
}

/* Fills the cells of one run; 0 if it is odd. An error of Python's is left for the caller to find. */
static int read_run(Desk *desk, PyObject *payload, PyObject *latency, PyObject *program, PyObject *cells[])
{
    char *text;
    Py_ssize_t length;
    if (payload == Py_None || PyBytes_AsStringAndSize(payload, &text, &length) < 0)
        return 0;
    if (!index_payload(desk, text, text + length) || !read_seconds(desk, latency, &cells[SECONDS]))
        return 0;
    int several = has_several(FIND(desk->payload, "executionProcesses")) || has_several(FIND(desk->payload, "worker"));
    cells[SEVERAL] = PyBool_FromLong(several);
    Span stated = FIND(desk->payload, "latencyClass");
    if (stated.start != NULL && *stated.start == '"') {
        if (stated.end - stated.start > ROOM)
            return 0;
        cells[STATED] = text_of(stated, desk->content);
    }
    if (program != Py_None && !read_checks(desk, program, &cells[WENT]))
        return 0;
    int has_message = read_message(desk, &cells[MESSAGE]);
    if (has_message < 0 || PyErr_Occurred())
        return 0;
    if (!has_message && desk->n_entries == 0) {
        Py_INCREF(desk->plan.no_answer);
        cells[FAILURE] = desk->plan.no_answer;
    }
    return read_signature(desk, &cells[SIGNATURE]);
}

static int read_names(PyObject *tuple, Name *names)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    if (count < 0 || count > MOST_KEYS) {
        PyErr_SetString(PyExc_ValueError, "too many keys");
        return -1;
    }
    for (Py_ssize_t place = 0; place < count; place++) {
        char *text;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, place), &text, &length) < 0)
            return -1;
        names[place].text = text;
        names[place].length = (size_t)length;
    }
    return (int)count;
}

/* Takes the cells of a run over into the columns; those of an odd run are given back. */
static int keep(PyObject *columns[], PyObject *odd, Py_ssize_t row, PyObject *cells[], int is_plain)
{
    for (int column = 0; column < COLUMNS; column++) {
        if (!is_plain)
            Py_CLEAR(cells[column]);
        if (cells[column] == NULL) {
            Py_INCREF(Py_None);
            cells[column] = Py_None;
        }
        if (PyList_SetItem(columns[column], row, cells[column]) < 0)
            return 0;
    }
    if (is_plain)
        return 1;
    PyObject *number = PyLong_FromSsize_t(row);
    int kept = number != NULL && PyList_Append(odd, number) == 0;
    Py_XDECREF(number);
    return kept;
}

static PyObject *read_all(Desk *desk, PyObject *payloads, PyObject *latencies, PyObject *programs)
{
    Py_ssize_t count = PyList_Size(payloads);
    PyObject *columns[COLUMNS] = {NULL}, *odd = PyList_New(0), *all = PyList_New(COLUMNS + 1);
    int fine = odd != NULL && all != NULL && PyList_Size(latencies) == count && PyList_Size(programs) == count;
    for (int column = 0; fine && column < COLUMNS; column++) {
        columns[column] = PyList_New(count);
        fine = columns[column] != NULL && PyList_SetItem(all, column, columns[column]) == 0;
    }
    for (Py_ssize_t row = 0; fine && row < count; row++) {
        PyObject *cells[COLUMNS] = {NULL}, *program = PyList_GetItem(programs, row);
        /* False stands for what only the exact reader can do. */
        int is_plain = (program == Py_None || PyTuple_Check(program))
            && read_run(desk, PyList_GetItem(payloads, row), PyList_GetItem(latencies, row), program, cells);
        fine = keep(columns, odd, row, cells, is_plain) && !PyErr_Occurred();
    }
    if (fine && PyList_SetItem(all, COLUMNS, odd) == 0)
        return all;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    if (!fine)
        Py_XDECREF(odd);
    Py_XDECREF(all);
    return NULL;
}

/* read_payloads(payloads, latencies, programs, (plain, outer, inner, digests, empty, no_answer))
   -> [failure, seconds, several, stated, message, signature, went, rows that are odd] */
static PyObject *read_payloads(PyObject *module, PyObject *args)
{
    PyObject *payloads, *latencies, *programs, *plain, *outer, *inner, *read = NULL;
    Plan plan;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O!(O!O!O!OOO)", &PyList_Type, &payloads, &PyList_Type, &latencies, &PyList_Type,
            &programs, &PyTuple_Type, &plain, &PyTuple_Type, &outer, &PyTuple_Type, &inner, &plan.digests,
            &plan.empty, &plan.no_answer))
        return NULL;
    plan.n_plain = read_names(plain, plan.plain);
    plan.n_inner = read_names(inner, plan.inner);
    if (plan.n_plain < 0 || plan.n_inner < 0 || read_names(outer, plan.outer) != plan.n_inner)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "keys that have no place");
    Desk *desk = PyMem_Malloc(sizeof(Desk));
    if (desk == NULL)
        return PyErr_NoMemory();
    desk->plan = plan;
    read = read_all(desk, payloads, latencies, programs);
    PyMem_Free(desk);
    return read;
}

#endif
