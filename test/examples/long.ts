import { type ExampleName, exampleNames } from '../../tools/runner/examples.ts'

/** Examples that take long. Each has test files of its own, so that others run at the same time. */
export const long: readonly ExampleName[] = ['policy-sync', 'copied-resources']

export const others: readonly ExampleName[] = exampleNames.filter(name => !long.includes(name))
