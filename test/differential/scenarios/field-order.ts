import { apply, get, merge, post, put, type Scenario } from '../scenario.ts'
import { asMetadata, cms, defined, game, games } from './shapes.ts'

const services = '/api/v1/namespaces/{ns}/services'
const asText = { asText: true }
const asMetadataText = { asText: true, headers: asMetadata }
const metadata = { name: 'a', labels: { z: '1', a: '2' }, annotations: { y: '1', b: '2' } }
const spec = { z: 1, list: [{ z: 1, a: { d: 1, c: [{ b: 1, a: 2 }] } }], a: { d: 1, c: 2, b: 3 } }

/** The order in which the keys of maps, and the fields of custom resources, are printed. */
export const orderScenarios: readonly Scenario[] = [
  {
    name: 'the order of keys in built-ins',
    steps: [
      post(cms, { data: { z: '1', a: '2' }, metadata }, asText),
      get(`${cms}/a`, asText),
      merge(`${cms}/a`, { data: { m: '1' }, metadata: { labels: { m: '1' } } }, asText),
      apply('me', `${cms}/a`, { kind: 'ConfigMap', apiVersion: 'v1', data: { d: '1', c: '2' } }, asText),
      put(`${cms}/a`, { metadata, data: { z: '1', y: '2', b: '3' } }, asText),
      get(cms, asText),
      post(
        services,
        { metadata, spec: { ports: [{ protocol: 'TCP', port: 80, targetPort: 81 }], selector: { z: '1', a: '2' } } },
        asMetadataText,
      ),
    ],
  },
  {
    name: 'the order of fields of custom resources',
    steps: [
      ...defined(),
      post(games, game('a', spec, metadata), asText),
      get(`${games}/a`, asText),
      merge(`${games}/a`, { spec: { m: { z: 1, a: 2 } } }, asText),
      apply('me', `${games}/b`, game('b', spec), asText),
      get(games, asText),
    ],
  },
]
