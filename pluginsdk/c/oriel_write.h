// Between the files of the SDK: the members of an object that is being written,
// of which those with the zero value are left out, and what is read back.
#pragma once
#include "oriel.h"

void oriel_begin(oriel_out *o, char bracket);
void oriel_finish(oriel_out *o, char bracket);
void oriel_separate(oriel_out *o);
void oriel_member(oriel_out *o, const char *key);
void oriel_member_string(oriel_out *o, const char *key, oriel_str s);
void oriel_member_raw(oriel_out *o, const char *key, oriel_str json);
void oriel_member_flag(oriel_out *o, const char *key, bool v);
void oriel_member_int(oriel_out *o, const char *key, int64_t v);
void oriel_member_float(oriel_out *o, const char *key, double v);
void oriel_member_strings(oriel_out *o, const char *key, const oriel_str *s, uint32_t n);
void oriel_member_rect(oriel_out *o, const char *key, oriel_rect r);

void oriel_write_view(oriel_out *o, const oriel_view *v);
void oriel_write_outcome(oriel_out *o, const oriel_outcome *v);
void oriel_write_fault(oriel_out *o);
bool oriel_read_fault(oriel_str json);
double oriel_nearest(const char *digits, uint32_t n, int32_t exponent);
