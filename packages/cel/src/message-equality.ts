import {
  Custom,
  Duration,
  Entries,
  List,
  Mapping,
  Message,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './values.ts'

/**
 * Whether messages are equal as in Kubernetes: operations of a JSON patch by CEL's equality, but objects by Go's `reflect.DeepEqual`. So `Object{a: 1} ==
 * Object{a: 1.0}` is false. Objects with lists are never equal, unless the lists are identical, because a list of cel-go contains a function.
 *
 * Source: https://github.com/kubernetes/kubernetes/blob/v1.37.1/staging/src/k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go
 */
export function equalMessages(a: Message, b: Message, equal: (a: Value, b: Value) => boolean): boolean {
  return a.type === b.type && (a.type === 'JSONPatch' ? equalOperations(a, b, equal) : equalFields(a, b))
}

function equalOperations(a: Message, b: Message, equal: (a: Value, b: Value) => boolean): boolean {
  // An absent field is an empty text.
  const isSame = (name: string): boolean => (a.fields.get(name) ?? '') === (b.fields.get(name) ?? '')
  const [value, other] = [a.fields.get('value'), b.fields.get('value')]
  if (!['op', 'path', 'from'].every(isSame)) return false
  return value === undefined || other === undefined ? value === other : equal(value, other)
}

function equalFields(a: Message, b: Message): boolean {
  if (a.fields.size !== b.fields.size) return false
  return [...a.fields].every(([name, value]) => {
    const other = b.fields.get(name)
    return other !== undefined && isDeepEqual(value, other)
  })
}

function isDeepEqual(a: Value, b: Value): boolean {
  if (a === b) return true
  if (a instanceof Uint) return b instanceof Uint && a.value === b.value
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name
  if (a instanceof Message) return b instanceof Message && a.type === b.type && equalFields(a, b)
  if (a instanceof Custom) return b instanceof Custom && a.type === b.type && a.equals(b)
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false
    return a.value === undefined || b.value === undefined ? a.value === b.value : isDeepEqual(a.value, b.value)
  }
  if (a instanceof List || !(a instanceof Mapping) || !(b instanceof Mapping)) return false
  // A map of an object with a built-in type is equal only to itself. A map of an expression is never equal to a map of an object.
  if (a.strict || b.strict || a instanceof Entries !== b instanceof Entries || a.size !== b.size) return false
  const keys = new Map(b.keys().map(key => [keyOf(key), key]))
  return a.keys().every(key => {
    const same = keys.get(keyOf(key))
    return same !== undefined && isDeepEqual(a.get(key) as Value, b.get(same) as Value)
  })
}

/** The key's text. `1`, `1u` and `1.0` are three different keys. */
function keyOf(key: Value): string {
  return key instanceof Uint ? `uint ${key.value}` : `${typeof key} ${String(key)}`
}
