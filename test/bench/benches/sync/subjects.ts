import type { Subject } from '../../harness/bench.ts'

type Options = Readonly<Record<string, string>>

const others = ['limit', 'client-node', 'kubernetes-fluent-client']

/** A subject of `sync` and `memory` by its name. */
export function subject(name: string, metrics: readonly string[], options: Options, input?: string): Subject {
  const isOurs = !others.includes(name)
  return {
    name,
    module: new URL(`./${isOurs ? 'wherry' : name}.ts`, import.meta.url),
    metrics,
    options: { ...options, ...(isOurs && { view: name.slice('wherry-'.length) }) },
    input,
  }
}

/** All of them, those of others first. */
export const names: readonly string[] = [
  ...others,
  'wherry-full',
  'wherry-default',
  'wherry-metadata',
  'wherry-projection',
]
