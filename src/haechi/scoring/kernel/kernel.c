/* The kernel of scoring: agent runs read quickly where they are plain. docs/decisions/0034 says what for.

   One file for the compiler, so that it can put together what is apart here. */

#include "lines.h"
#include "payloads.h"

static PyMethodDef functions[] = {
    {"read_payloads", read_payloads, METH_VARARGS, "What plain payloads say, column by column, and which are odd."},
    {"read_lines", read_lines, METH_VARARGS, "The columns of lines that all have the same keys, or None."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "haechi.scoring._kernel", NULL, 0, functions, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModuleDef_Init(&definition);
}
