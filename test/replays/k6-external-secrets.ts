import { secret } from './objects/secrets.ts'
import type { MemoryReplay } from './replay.ts'
import { certificates, secretWays } from './secret-operator.ts'

export const externalSecrets: MemoryReplay = {
  id: 'K6',
  title: 'external-secrets: thousands of large Secrets of others',
  thread: 'https://github.com/external-secrets/external-secrets/issues/729',
  story: [
    'The operator writes Secrets, and its cache held all of the cluster.',
    'A cluster with 2,000 large ones took some 1 GB.',
    'The operator needs those that it writes, by their names.',
    'Its maintainers made the cache of Secrets an option that is off by default.',
    'Then it takes less than 100 MB, and a request for each read.',
  ],
  inputs: '2,000 Secrets of 512 kB',
  assumed: 'values of 384 kB, which are 512 kB as base64; one Secret is needed; the program is that of K5',
  theirs: { before: 'some 1 GB', after: '< 100 MB' },
  sizes: [2000],
  definitions: [certificates.definition],
  own: [certificates.make('web', { secretName: 'web-tls' }), secret('default', 'web-tls', 3000, 1)],
  *objects(count) {
    for (let i = 0; i < count; i++) yield secret('apps', `large-${i}`, 384_000, i)
  },
  ways: secretWays({ aboveIdleBytes: 10e6 }, 200),
  peers: {
    clientNode: ['secrets'],
    go: [
      { name: 'before', kinds: ['secrets'], keeps: 'whole' },
      { name: 'after', kinds: [], keeps: 'whole', reads: ['default/web-tls'] },
    ],
  },
}
