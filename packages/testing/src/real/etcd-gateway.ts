import { request } from 'node:http'
import { ApiServerStartError } from './errors.ts'

/** The part of etcd's API that tests of an API server need. */
export interface EtcdGateway {
  /** The bytes under `key`, or `undefined`. */
  get(key: string): Promise<Uint8Array | undefined>
  /** The revision of the last change. */
  revision(): Promise<number>
  /** Forgets all revisions before the current one, as kube-apiserver's own compaction does. Returns that revision. */
  compact(): Promise<number>
}

/** The key under which kube-apiservers share the revision to which etcd is compacted. */
const COMPACTED = 'compact_rev_key'

interface RangeAnswer {
  readonly header: { readonly revision: string }
  readonly kvs?: readonly { readonly value?: string }[]
}

/** Speaks to the JSON gateway that etcd has on the unix socket at `socketPath`, in addition to gRPC. */
export function etcdGateway(socketPath: string): EtcdGateway {
  const range = (key: string): Promise<RangeAnswer> => askEtcd(socketPath, '/v3/kv/range', { key: base64(key) })
  return {
    async get(key) {
      const found = (await range(key)).kvs?.[0]
      return found && new Uint8Array(Buffer.from(found.value ?? '', 'base64'))
    },
    async revision() {
      return Number((await range(COMPACTED)).header.revision)
    },
    async compact() {
      const { revision } = (await range(COMPACTED)).header
      await askEtcd(socketPath, '/v3/kv/put', { key: base64(COMPACTED), value: base64(revision) })
      await askEtcd(socketPath, '/v3/kv/compaction', { revision, physical: true })
      return Number(revision)
    },
  }
}

/** How etcd's JSON writes a key or a value. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Sends one request to the gateway, on a connection of its own. Rejects unless the answer is a 200. */
export function askEtcd<T>(socketPath: string, path: string, body: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { socketPath, path, method: 'POST', agent: false, headers: { 'content-type': 'application/json' } }
    const sent = request(options, answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text) as T)
        else reject(new ApiServerStartError(`etcd answered ${path} with ${answer.statusCode}`, text))
      })
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}
