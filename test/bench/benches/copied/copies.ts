import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { Copies } from '@wherry/copies'
import { clusterServiceVersions as csvs } from '../../../../examples/copied-resources/resources.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { copyOf, type Keeper, sources } from './keeper.ts'
import { measureCopied } from './measure.ts'

/** `@wherry/copies`: of a copy, a digest is kept. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureCopied(context, keeper)
}

function keeper(client: Client): Keeper {
  const copies = new Copies({
    name: 'bench',
    source: sources,
    copies: csvs,
    targets: { member: 'true' },
    build: source => {
      const { spec, ...metadata } = copyOf(source)
      return { metadata, spec }
    },
  })
  const operator = new Operator({ name: 'bench', client })
  operator.add(copies.controller)
  const stop = new AbortController()
  const running = operator.run({ signal: stop.signal, signals: false })
  /** How often a copy was looked at. `operator.settled()` would ask the server. */
  const looks = (): number => {
    const { unchanged, learned, writes } = copies.report()
    return unchanged + learned + writes.create + writes.update + writes.delete
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await pause(1)
  }
  return {
    started: count => until(() => copies.report().copies === count && looks() >= count),
    resync: () => {
      const before = looks()
      copies.resync()
      return until(() => looks() - before >= copies.report().copies)
    },
    after: async make => {
      const before = looks()
      const changes = await make()
      const concerned = changes.reduce((sum, { copies: count }) => sum + count, 0)
      await until(() => looks() - before >= concerned)
    },
    close: async () => {
      stop.abort(new Error('measured'))
      await running
    },
  }
}
