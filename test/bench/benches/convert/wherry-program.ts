/** An operator of ours with one conversion. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { Operator } from '@wherry/controller'
import { Conversion, Webhooks } from '@wherry/webhook'
import { gadgets, gadgetsBeta } from './gadgets.ts'

const { BENCH_URL: url = '', BENCH_CA: ca = '', BENCH_TOKEN: token = '', BENCH_CERTS: folder = '' } = process.env
const operator = new Operator({ name: 'bench', client: new Client({ access: fromUrl(url, { ca, token }) }) })
const conversion = new Conversion(gadgets).version(gadgetsBeta, {
  toHub: ({ spec }) => ({
    spec: { data: Object.fromEntries((spec?.entries ?? []).map(({ key, value }) => [key, value])) },
  }),
  fromHub: ({ spec }) => ({
    spec: {
      entries: Object.entries(spec?.data ?? {})
        .map(([key, value]) => ({ key, value }))
        .sort((one, other) => (one.key < other.key ? -1 : 1)),
    },
  }),
})
new Webhooks(operator, {
  service: { namespace: 'bench-system', name: 'bench' },
  configurations: 'manifest',
  certificates: { files: { cert: `${folder}/tls.crt`, key: `${folder}/tls.key` } },
  host: '127.0.0.1',
  port: Number(process.env.BENCH_PORT),
}).convert(conversion)
await operator.run()
