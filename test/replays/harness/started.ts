import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'

export interface StartOptions {
  /** In addition to the note. */
  readonly reconcile?: ((name: string) => void | Promise<void>) | undefined
  readonly declare?: ((operator: Operator) => void) | undefined
}

/** An operator that runs. */
export interface Started {
  readonly operator: Operator
  /** `NAME VALUE` for each run, `NAME gone` for each object that is gone. */
  readonly log: string[]
  /** Stops the operator, and lets its client be. */
  stop(): Promise<void>
  /** Stops the operator and closes its client. */
  end(): Promise<void>
}

const seen = configMaps.within({ namespaces: ['default'] })

/** Runs an operator of ConfigMaps, which notes what it sees. It closes the client when it ends. */
export function startOperator(client: Client, { reconcile, declare }: StartOptions = {}): Started {
  const operator = new Operator({ name: 'replay', client })
  const log: string[] = []
  operator
    .controller('seen')
    .for(seen)
    .reconcile(async ({ key, object }) => {
      log.push(`${key.name} ${object.data?.value}`)
      await reconcile?.(key.name)
    })
    .onGone(({ key }) => void log.push(`${key.name} gone`))
  declare?.(operator)
  const running = operator.run({ signals: false })
  const stop = (): Promise<void> => operator.close()
  const end = async (): Promise<void> => {
    await stop()
    await running
    await client.close()
  }
  return { operator, log, stop, end }
}
