/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. It serves catalogs at CATALOG_PORT, and keeps the last good indexes in CATALOG_CACHE. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { proxySettings } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { Catalogs, declareCatalogs } from './operator.ts'
import { catalogServer } from './serve.ts'

const operator = await Operator.connect({
  name: 'catalog',
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
const { https: proxy, noProxy } = proxySettings()
const { CATALOG_CACHE: folder } = process.env
const catalogs = new Catalogs({ proxy, noProxy, folder })
declareCatalogs(operator, catalogs)
const server = catalogServer(catalogs).listen(Number(process.env.CATALOG_PORT ?? 8081))
await once(server, 'listening')
process.stdout.write(`catalogs are served at port ${(server.address() as AddressInfo).port}\n`)
await operator.run()
server.close()
server.closeAllConnections()
await catalogs.close()
