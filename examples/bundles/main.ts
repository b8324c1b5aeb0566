/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. It installs bundles of the catalog at CATALOG_URL. */
import { parseArgs } from 'node:util'
import { Operator } from '@wherry/controller'
import { CatalogService } from './catalog-service.ts'
import { declarePlatformOperators } from './operator.ts'
import { declarePlatform } from './platform-controller.ts'

const { values } = parseArgs({
  options: {
    catalog: { type: 'string', default: process.env.CATALOG_URL ?? 'http://catalog.catalogs:8081/catalogs/community' },
    'poll-ms': { type: 'string', default: '60000' },
  },
})
const operator = await Operator.connect({
  name: 'bundles',
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
  // Applied objects are watched by their names, and for a minute after they were removed.
  narrow: { idleMs: 60_000 },
})
declarePlatformOperators(operator, { source: new CatalogService(values.catalog), pollMs: Number(values['poll-ms']) })
declarePlatform(operator)
await operator.run()
