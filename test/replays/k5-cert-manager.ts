import { secret } from './objects/secrets.ts'
import type { MemoryReplay } from './replay.ts'
import { certificates, secretWays } from './secret-operator.ts'

const MIB = 2 ** 20

export const certManager: MemoryReplay = {
  id: 'K5',
  title: 'cert-manager: large Secrets of others',
  thread: 'https://github.com/cert-manager/cert-manager/issues/7161',
  story: [
    'Secrets that have nothing to do with certificates were large: releases of Helm are.',
    "A component's cache held all Secrets of the cluster whole.",
    'At the start it took several times their size.',
    'Limits had to be raised for data that nobody reads.',
    'The mended component holds metadata of Secrets that are not its own.',
  ],
  inputs: '100 Secrets of 1 MiB',
  assumed: 'values of 3/4 MiB, which are 1 MiB as base64: no server takes more; one Certificate with a small Secret',
  theirs: { before: '289 MB', after: '46 MB' },
  sizes: [100],
  definitions: [certificates.definition],
  own: [certificates.make('web', { secretName: 'web-tls' }), secret('default', 'web-tls', 3000, 1)],
  *objects(count) {
    for (let i = 0; i < count; i++) yield secret('apps', `large-${i}`, 0.74 * MIB, i)
  },
  ways: secretWays({ aboveIdleBytes: 6e6 }, 10),
  peers: {
    clientNode: ['secrets'],
    go: [
      { name: 'before', kinds: ['secrets'], keeps: 'whole' },
      { name: 'after', kinds: ['secrets'], keeps: 'metadata', reads: ['default/web-tls'] },
    ],
  },
}
