/**
 * A program with many watches: `many-watches.ts NAMESPACE…` lists the ConfigMaps of each namespace, keeps none, and watches them. It prints `watching`
 * when all watches have begun, and runs until it is ended.
 */
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'

const client = await Client.connect()
const ignore = (): void => undefined
for (const namespace of process.argv.slice(2)) {
  const view = configMaps.within({ namespaces: [namespace] })
  const { resourceVersion } = await client.listEach(view, ignore)
  const opened = Promise.withResolvers<void>()
  const end = (ended: unknown): void => opened.reject(ended)
  client.watchEach(view, { opened: () => opened.resolve(), event: ignore, bookmark: ignore, end }, { resourceVersion })
  await opened.promise
}
console.log('watching')
