// The texts are remarks, so that `kubectl explain` shows only the comment of the field itself.

/**
 * @remarks A whole number.
 *
 * @type integer
 */
export type int = number

/**
 * @remarks A whole number of 64 bits. JavaScript holds it exactly up to 2^53.
 *
 * @type integer
 * @format int64
 */
export type int64 = number

/**
 * @remarks A whole number, or a text: a port by its number or its name, a number or a percentage.
 *
 * @intOrString
 */
export type IntOrString = number | string

/**
 * @remarks An amount of a resource: `500m`, `2Gi`, `3`.
 *
 * @intOrString
 * @pattern `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
 */
export type Quantity = number | string

/**
 * @remarks A length of time: `1h30m`, `15s`.
 *
 * @format duration
 */
export type Duration = string

/**
 * @remarks A point in time, as RFC 3339 has it: `2026-01-31T12:00:00Z`.
 *
 * @format date-time
 */
export type Timestamp = string
