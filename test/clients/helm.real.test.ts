import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { type Access, ask, eventually } from '../../packages/testing/src/real/testkit/client.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { buildHelm } from './build.ts'

const available = await realApiServerAvailable('the comparison of what Helm does')
const chart = join(import.meta.dirname, 'chart')
const namespace = 'default'
const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`

/** Completes each Job, as a cluster's controllers and nodes do in the end. */
async function completeJobs(access: Access): Promise<void> {
  const { body } = await ask(access, 'GET', jobs)
  const time = new Date().toISOString().replace(/\.\d+/, '')
  for (const { metadata, status } of body.items) {
    if (status.conditions !== undefined) continue
    const conditions = ['SuccessCriteriaMet', 'Complete'].map(type => ({
      type,
      status: 'True',
      lastTransitionTime: time,
    }))
    const uncountedTerminatedPods = {}
    const ended = { startTime: time, completionTime: time, succeeded: 1, uncountedTerminatedPods, conditions }
    const path = `${jobs}/${metadata.name}/status`
    // It may be gone by now.
    await ask(access, 'PATCH', path, { status: ended }, 'application/merge-patch+json')
  }
}

/** What the chart's objects say, after a command. */
async function levels(access: Access): Promise<unknown[]> {
  const paths = ['/api/v1', '/apis/arcade.example.org/v1', '/apis/apps/v1']
  const names = ['configmaps', 'games', 'deployments']
  const found = await Promise.all(
    paths.map((path, i) => ask(access, 'GET', `${path}/namespaces/${namespace}/${names[i]}/one`)),
  )
  return found.map(({ status, body }) =>
    status === 200 ? Number(body.data?.level ?? body.spec.level ?? body.spec.replicas) : status,
  )
}

const chosen = ['install', 'upgrade', 'rollback', 'test', 'uninstall']
const commands = [
  ['install', 'one', chart],
  ['upgrade', 'one', chart, '--set', 'level=2'],
  ['rollback', 'one', '1'],
  ['test', 'one'],
  ['history', 'one', '--output', 'json'],
  ['uninstall', 'one'],
]

it.runIf(available)(
  'F4: Helm as it is installs, upgrades, rolls back, tests and uninstalls a chart, as at a real server',
  async () => {
    const helm = await buildHelm()
    const folder = await mkdtemp(join(tmpdir(), 'wherry-helm-'))
    await using embedded = await startApiServer({ authorization: 'RBAC' })
    try {
      const said: unknown[][] = []
      for (const { kubeconfig, url, ca = '', token } of [await sharedRealServer(), embedded]) {
        const access = { url, ca, token }
        const path = join(folder, 'kubeconfig')
        await writeFile(path, JSON.stringify(kubeconfig))
        const env = { ...process.env, HOME: folder, KUBECONFIG: path, HELM_NAMESPACE: namespace }
        const steps: unknown[] = []
        for (const command of commands) {
          const running = { over: false }
          const run = promisify(execFile)(helm, command, { env, timeout: 120_000 }).finally(() => {
            running.over = true
          })
          const played = eventually(
            () => completeJobs(access),
            () => running.over,
          )
          const [{ stdout }] = await Promise.all([run, played])
          steps.push([command[0], withoutTimes(stdout), await levels(access)])
        }
        said.push(steps)
      }
      const [atReal, atEmbedded] = said
      expect(atEmbedded).toEqual(atReal)
      const [after, none] = [(level: number) => [level, level, level], [404, 404, 404]]
      const seen = (atReal as [string, string, unknown][]).filter(([name]) => chosen.includes(name))
      expect(seen.map(([, , level]) => level)).toEqual([after(1), after(2), after(1), after(1), none])
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  1_200_000,
)

/** Output without what no two runs have in common. */
function withoutTimes(text: string): string {
  return text
    .replace(/\b\w{3} \w{3} +\d+ [\d:]+ \d{4}\b/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)/g, 'TIME')
}
