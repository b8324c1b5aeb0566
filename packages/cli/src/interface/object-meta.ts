import { ArrayType, type BaseType, ObjectProperty, ObjectType, StringType } from 'ts-json-schema-generator'
import ts from 'typescript'
import { isMetadata } from './marks.ts'
import { TaggedType } from './tagged-type.ts'

/** Whether a declaration is that of an object's metadata, in any package. */
export function isObjectMeta(node: ts.Node): boolean {
  if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) return false
  if (!/^(V1)?ObjectMeta$/.test(node.name?.text ?? '')) return false
  const names = node.members.map(({ name }) => (name !== undefined && ts.isIdentifier(name) ? name.text : ''))
  return ['labels', 'managedFields'].every(name => names.includes(name))
}

/**
 * The metadata of an object inside of another, such as of a Pod template: the fields that a template may have, as in controller-gen's
 * `generateEmbeddedObjectMeta`. The server drops fields that have no schema.
 */
export function objectMeta(): BaseType {
  const text = new StringType()
  const map = new ObjectType('object-meta-map', [], [], text)
  const fields = { annotations: map, finalizers: new ArrayType(text), labels: map, name: text, namespace: text }
  const properties = Object.entries(fields).map(([name, type]) => new ObjectProperty(name, type, false))
  return new TaggedType(new ObjectType('object-meta', [], properties, true), { [isMetadata]: true })
}
