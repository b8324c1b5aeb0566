/**
 * What a packed value is made of. Each token begins with one of these bytes; a count is an integer of seven bits a byte, the
 * lowest first, the top bit set in all but the last.
 */
export const tokens = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** The name, and the namespace, that the object's key has. */
  name: 4,
  namespace: 5,
  /** The resourceVersion and the uid that come before the value. */
  resourceVersion: 6,
  uid: 7,
  /** An integer from 0 on: a count. */
  natural: 8,
  /** An integer below 0: a count of its opposite. */
  negative: 9,
  /** A text of digits: a count. */
  digits: 10,
  /** A time to the second, as Kubernetes writes it: a count of seconds since 1970. */
  time: 11,
  /** Any other number: eight bytes. */
  double: 12,
  /** A UUID in lower case: 16 bytes. */
  uuid: 13,
  /** A text: how many bytes it has, and these, a byte a character. */
  latin1: 14,
  /** A text with others, as UTF-8. */
  utf8: 15,
  /** A text with what UTF-8 can't say: a half of a surrogate pair. */
  utf16: 16,
  /** A text that others have too: its number. */
  text: 17,
  /** How many items, and these. */
  list: 18,
  /** An object: the number of its shape, and its values. */
  record: 19,
  /** An object that has its keys with it: how many, and each with its value. The latter has no prototype. */
  map: 20,
  bareMap: 21,
} as const

/** Tokens up to this one are a byte each, and nothing follows. */
export const lastAlone: number = tokens.uid
