import { describe, expect, it } from 'vitest'
import { type Answer, type Kit, merge, withServer } from '../../testkit/in-memory.ts'
import { scheduleProblem } from './schedule.ts'

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const containers = [{ name: 'c', image: 'i' }]
const selector = { matchLabels: { app: 'a' } }
const template = { metadata: { labels: { app: 'a' } }, spec: { containers } }

function causesOf({ status, json, text }: Answer): string[] {
  expect(status, text).toBe(422)
  return (json.details.causes as { field: string; message: string }[]).map(
    ({ field, message }) => `${field}: ${message}`,
  )
}

const refused = async (kit: Kit, path: string, object: object): Promise<string[]> =>
  causesOf(await kit.call('POST', path, { metadata: { name: 'a' }, ...object }))

// What each field may be is compared with a real server, in test/differential.
describe('objects of built-in kinds', () => {
  it.for([
    [
      `${apps}/deployments`,
      { spec: { template } },
      ['spec.selector: Required value', '`selector` does not match template `labels`'],
    ],
    [`${core}/pods`, { spec: {} }, ['spec.containers: Required value']],
    [`${core}/pods`, { spec: { containers: [{ name: 'c' }] } }, ['spec.containers[0].image: Required value']],
    [
      `${core}/pods`,
      { spec: { containers: [{ ...containers[0], volumeMounts: [{ name: 'v', mountPath: '/v' }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      `${core}/secrets`,
      { type: 'kubernetes.io/tls' },
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    [`${core}/services`, { spec: {} }, ['spec.ports: Required value']],
    [
      '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      { spec: { minAvailable: 'x' } },
      ['spec.minAvailable: Invalid value: "x": a valid percent string'],
    ],
  ] as const)('F1: are refused by %s for what a real server refuses: %j', ([path, object, expected]) =>
    withServer(async kit => {
      const causes = await refused(kit, path, object)
      expect(causes.length).toBe(expected.length)
      for (const [i, cause] of causes.entries()) expect(cause).toContain(expected[i])
    }),
  )

  it('F1: problems that the tags of the types report come last', () =>
    withServer(async kit => {
      const spec = { jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'Other' } } } } }
      const causes = await refused(kit, '/apis/batch/v1/namespaces/default/cronjobs', { spec })
      expect(causes.at(-1)).toBe('spec.schedule: Required value')
      expect(causes.length).toBeGreaterThan(1)
    }))

  it('F1: an update of what fill stored is refused for what it makes wrong, and not for what was wrong', () =>
    withServer(async kit => {
      const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', namespace: 'default' } }
      await kit.server.fill([{ ...bare, spec: { selector, template: { ...template, spec: {} } } }])
      const a = `${apps}/deployments/a`
      expect((await kit.call('PATCH', a, { metadata: { labels: { l: 'x' } } }, merge)).status).toBe(200)
      expect((await kit.call('PATCH', `${a}/status`, { status: { replicas: 1 } }, merge)).status).toBe(200)
      expect((await kit.call('PATCH', a, { spec: { replicas: 2 } }, merge)).status).toBe(200)
      const causes = causesOf(await kit.call('PATCH', a, { spec: { replicas: -1 } }, merge))
      expect(causes).toEqual(['spec.replicas: Invalid value: -1: must be greater than or equal to 0'])
    }))
})

describe('a schedule', () => {
  it.for([...['* * * * *', '*/5 1-3 * jan,FEB mon-fri', '@daily', '@every 1h30m', '0 0 1 1 ?', 'TZ=UTC * * * * *']])(
    'F1: may be %s',
    schedule => {
      expect(scheduleProblem(schedule)).toBeUndefined()
    },
  )

  it.for([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
  ] as const)('F1: may not be %s', ([schedule, problem]) => {
    expect(scheduleProblem(schedule)).toBe(problem)
  })
})
