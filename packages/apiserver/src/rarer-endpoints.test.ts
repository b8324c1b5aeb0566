import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cm, merge, withServer } from './testkit/in-memory.ts'

const pods = '/api/v1/namespaces/default/pods'
const yaml = { accept: 'application/yaml' }

describe('what few clients ask for', () => {
  it('F1: an object, a list and a refusal in YAML', () =>
    withServer(async ({ call }) => {
      const data = { yes: 'true', number: '1', empty: '', lines: 'a: b\n- c\n' }
      await call('POST', cm, { metadata: { name: 'a' }, data })
      const one = await call('GET', `${cm}/a`, undefined, yaml)
      expect(one.headers['content-type']).toBe('application/yaml')
      expect(one.text.startsWith('apiVersion: v1\ndata:\n')).toBe(true)
      expect(parse(one.text)).toEqual((await call('GET', `${cm}/a`)).json)
      const list = await call('GET', cm, undefined, yaml)
      expect(parse(list.text)).toEqual((await call('GET', cm)).json)
      const refused = await call('GET', `${cm}/b`, undefined, yaml)
      expect([refused.status, parse(refused.text).reason]).toEqual([404, 'NotFound'])
      expect((await call('GET', `${cm}?watch=1`, undefined, yaml)).status).toBe(406)
      const large =
        '{"metadata":{"name":"e"},"spec":{"containers":[{"name":"c","image":"i"}],"terminationGracePeriodSeconds":9223372036854775807}}'
      const pod = await call('POST', '/api/v1/namespaces/default/pods', large, yaml)
      expect(pod.text).toContain('terminationGracePeriodSeconds: 9223372036854775807\n')
    }))

  it('F1: the log of a container, which is empty', () =>
    withServer(async ({ call }) => {
      const container = (name: string): object => ({ name, image: 'i' })
      const spec = { containers: [container('c'), container('d')], initContainers: [container('i')] }
      // Only kubectl reads this annotation.
      const annotations = { 'kubectl.kubernetes.io/default-container': 'c' }
      await call('POST', pods, { metadata: { name: 'p', annotations }, spec })
      expect((await call('GET', `${pods}/p/log?container=d`)).status).toBe(204)
      expect((await call('GET', `${pods}/p/log`)).json.message).toContain('choose one of: [i c d]')
      expect((await call('GET', `${pods}/p/log?container=x`)).status).toBe(400)
    }))

  it('F1: to add an ephemeral container, and nothing else', () =>
    withServer(async ({ call }) => {
      await call('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } })
      const ephemeralContainers = [{ name: 'debug', image: 'sh' }]
      const change = { metadata: { labels: { a: 'b' } }, spec: { hostNetwork: true, ephemeralContainers } }
      const { json } = await call('PATCH', `${pods}/p/ephemeralcontainers`, change, merge)
      expect(json.spec.ephemeralContainers).toMatchObject(ephemeralContainers)
      expect([json.spec.hostNetwork, json.metadata.labels]).toEqual([undefined, undefined])
      const none = { spec: { ephemeralContainers: null } }
      expect((await call('PATCH', `${pods}/p/ephemeralcontainers`, none, merge)).status).toBe(422)
    }))

  it('F1: health in detail, and what was counted', () =>
    withServer(async ({ call }) => {
      await call('GET', cm)
      expect((await call('GET', '/livez?verbose')).text).toBe('[+]ping ok\nlivez check passed\n')
      expect((await call('GET', '/metrics')).text).toContain(
        'apiserver_request_total{resource="configmaps",verb="list"} 1\n',
      )
    }))

  it('F1: an apply of a Scale owns the replicas, and conflicts with their other owners', () =>
    withServer(async ({ call }) => {
      const path = '/apis/apps/v1/namespaces/default/deployments'
      const metadata = { labels: { a: 'b' } }
      const template = { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } }
      const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template }
      await call('POST', `${path}?fieldManager=me`, { metadata: { name: 'd' }, spec })
      const scale = (manager: string, replicas: number, force = ''): ReturnType<typeof call> => {
        const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas } }
        const type = { 'content-type': 'application/apply-patch+yaml' }
        return call('PATCH', `${path}/d/scale?fieldManager=${manager}${force}`, body, type)
      }
      expect((await scale('me', 2, '&force=true')).json.spec).toEqual({ replicas: 2 })
      const { managedFields } = (await call('GET', `${path}/d`)).json.metadata
      expect(managedFields[0]).toEqual({
        ...{ manager: 'me', operation: 'Apply', apiVersion: 'apps/v1', subresource: 'scale' },
        ...{ fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      })
      const { status, json } = await scale('other', 3)
      expect([status, json.message]).toEqual([409, expect.stringContaining('conflict with "me" with subresource')])
    }))
})
