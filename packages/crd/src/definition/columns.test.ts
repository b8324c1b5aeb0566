import { expect, it } from 'vitest'
import { wholeOptions } from '../testkit/definitions.ts'
import { defineCustomResource } from './define.ts'

/** The type of the column that shows a field, as the definition has it. */
function typeOf(jsonPath: string): string | undefined {
  const options = wholeOptions({ printColumns: [{ name: 'X', jsonPath }] })
  return defineCustomResource(options).definition.spec.versions[0]?.additionalPrinterColumns?.[0]?.type
}

it.for([
  ['.spec.count', 'integer'],
  ['.spec.ratio', 'number'],
  ['.spec.on', 'boolean'],
  ['.spec.color', 'string'],
  ['.spec.deadline', 'date'],
  ['.spec.labels.tier', 'string'],
  ['.spec.port', 'string'],
  ['.spec.hosts', 'string'],
  // What no schema describes, and what a path selects by more than names.
  ['.spec.rest.depth', 'string'],
  ['.spec.counts[0]', 'string'],
  ['.metadata', 'string'],
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'labels', 'annotations'].map(
    name => [`.metadata.${name}`, 'string'] as const,
  ),
  ...['ownerReferences', 'finalizers', 'managedFields'].map(name => [`.metadata.${name}`, 'string'] as const),
  ...['generation', 'deletionGracePeriodSeconds'].map(name => [`.metadata.${name}`, 'integer'] as const),
  ...['creationTimestamp', 'deletionTimestamp'].map(name => [`.metadata.${name}`, 'date'] as const),
] as const)('a column of %s without a type is of the type %s', ([path, type]) => {
  expect(typeOf(path)).toBe(type)
})
