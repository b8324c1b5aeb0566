import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { buildGoClients } from './build.ts'

const available = await realApiServerAvailable("the comparison of what client-go's typed client reads")

const expected = `created POST vnd.kubernetes.protobuf a 1
listed GET vnd.kubernetes.protobuf a 1
watches GET vnd.kubernetes.protobuf;stream=watch
updated PUT vnd.kubernetes.protobuf a 2
patched PATCH vnd.kubernetes.protobuf a 3
read GET vnd.kubernetes.protobuf a 3
deleted DELETE vnd.kubernetes.protobuf
event MODIFIED 2
event MODIFIED 3
event DELETED 3
refused GET vnd.kubernetes.protobuf true configmaps "a" not found
`

it.runIf(available)(
  "F4: client-go's typed client as it is reads and writes protobuf, as at a real server",
  async () => {
    const program = await buildGoClients()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-typed-'))
    await using embedded = await startApiServer({ authorization: 'RBAC' })
    try {
      for (const { kubeconfig } of [await sharedRealServer(), embedded]) {
        const path = join(folder, 'kubeconfig')
        await writeFile(path, JSON.stringify(kubeconfig))
        const { stdout } = await promisify(execFile)(program, ['typed', path, 'default'], { timeout: 60_000 })
        expect(stdout).toBe(expected)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  600_000,
)
