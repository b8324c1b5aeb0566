import type { Bench } from './bench.ts'

/** A benchmark as small as it can be: it shows whether its subjects give their figures, and nothing about speed. */
export function smallest(bench: Bench): { readonly bench: Bench; readonly objects: number } {
  const { objects = 20, subjects: names, options = {} } = bench.smallest ?? {}
  const subjects = bench.subjects
    .filter(({ name }) => names === undefined || names.includes(name))
    .map(subject => ({ ...subject, options: { ...subject.options, ...options } }))
  return { bench: { ...bench, subjects, targets: [] }, objects }
}
