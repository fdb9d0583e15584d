package hostabi

// AppendString appends s as a JSON string, for schemas and results that an
// adapter writes by hand. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }

// AppendScalar appends s as a JSON value.
func AppendScalar(dst []byte, s Scalar) []byte { return appendScalar(dst, s) }
