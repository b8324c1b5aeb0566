import { get, post, quietly, type Scenario, wait } from '../scenario.ts'
import { crds, gameDefinition, version } from './shapes.ts'

const versions = [
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apps/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'apiregistration.k8s.io/v1',
]
const groups = [...new Set(versions.map(version => version.split('/')[0]))]
const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }

export const discoveryScenarios: readonly Scenario[] = [
  { name: 'discovery of the core group', steps: [get('/api/v1')] },
  { name: 'discovery: the versions of /api', steps: [get('/api')], except: ['*.body.serverAddressByClientCIDRs'] },
  ...versions.map(version => ({ name: `discovery of ${version}`, steps: [get(`/apis/${version}`)] })),
  { name: 'discovery: groups one by one', steps: groups.map(group => get(`/apis/${group}`)) },
  // By now the definitions of all other scenarios are on both servers.
  {
    name: 'discovery of all groups',
    steps: [
      ...[
        ['zz', 'v1'],
        ['aa', 'v2'],
        ['mm', 'v1'],
      ].flatMap(([group = '', name = '']) => {
        const definition = gameDefinition([version(name, { storage: true })], { group: `${group}.{g}` })
        return [
          quietly(post(crds, { ...definition, metadata: { name: `games.${group}.{g}` } })),
          wait(`/apis/${group}.{g}/${name}`, { status: 200 }),
          // The real server's aggregator lists a group in each document at a time of its own, after it serves the group.
          wait('/apis', { contains: `"${group}.{g}"` }),
          wait('/apis', { contains: `"${group}.{g}"`, lacks: '"Stale"' }, aggregated),
        ]
      }),
      get('/apis'),
    ],
    alone: true,
  },
  { name: 'aggregated discovery of all groups', steps: [get('/apis', { headers: aggregated })], alone: true },
  { name: 'aggregated discovery of the core group', steps: [get('/api', { headers: aggregated })] },
]
