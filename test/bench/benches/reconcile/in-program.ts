import type { ServerAddress } from '../../harness/bench.ts'
import { collect } from '../../harness/memory.ts'

/** Where the API server is: what `measureOperator` passed to a program. */
export function addressOfProgram(): ServerAddress & { readonly objects: number } {
  const { BENCH_URL: url = '', BENCH_CA: ca = '', BENCH_TOKEN: token = '', BENCH_OBJECTS: objects } = process.env
  return { url, ca, token, emptyVersion: '0', objects: Number(objects) }
}

/** Which view an operator of ours is to have. */
export function isFullView(): boolean {
  return process.env.BENCH_VIEW === 'full'
}

/** Called for each key that was reconciled; says when all were, and when what could be collected is. */
export function reporter(objects: number): (key: string) => void {
  const reconciled = new Set<string>()
  return key => {
    reconciled.add(key)
    if (reconciled.size !== objects) return
    console.log('ready')
    setImmediate(() => {
      collect()
      console.log('settled')
    })
  }
}
