import { join } from 'node:path'
import { credentialFiles } from './credentials.ts'
import type { ApiServerBinary } from './find-binary.ts'

/** The folder and the port of an instance. */
export interface Place {
  readonly folder: string
  readonly port: number
}

/** A program and its arguments. */
export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** File in an instance's folder with the controllers' credentials. */
export const controllersKubeconfig = 'controllers.kubeconfig'

/** The advertised address of etcd. No process uses it, but etcd before 3.7 accepts no path of a socket here. */
const nowhere = 'http://127.0.0.1:1'

const ETCD_QUOTA_BYTES = 8 * 2 ** 30

/** The unix socket of an instance's etcd. Short: the system allows about 100 bytes. */
export function etcdSocket(folder: string): string {
  return join(folder, 'etcd.sock')
}

/** Which controllers of kube-controller-manager run. */
export interface Controllers {
  /** Whether the controllers run that create the ServiceAccount and the CA of the server in each namespace. */
  readonly clusterObjects: boolean
}

/** The commands to start, in this order: etcd, if it is a separate program, and the API server. */
export function commandsOf(
  binary: ApiServerBinary,
  place: Place,
  flags: Readonly<Record<string, string>>,
  controllers: Controllers | undefined,
): readonly Command[] {
  const { folder } = place
  const socket = etcdSocket(folder)
  const data = join(folder, 'etcd')
  if (binary.kind === 'assets') {
    const etcd = {
      'data-dir': data,
      'listen-client-urls': `unix://${socket}`,
      'advertise-client-urls': nowhere,
      'listen-peer-urls': `unix://${socket}.peer`,
      'initial-advertise-peer-urls': nowhere,
      'initial-cluster': `default=${nowhere}`,
      'quota-backend-bytes': `${ETCD_QUOTA_BYTES}`,
      'unsafe-no-fsync': 'true',
      'log-level': 'error',
    }
    return [
      { program: binary.etcd, args: asArguments(etcd) },
      { program: binary.apiServer, args: asArguments(apiServerFlags(place, flags)) },
    ]
  }
  const own: Record<string, string> = {
    'exit-with-parent': 'true',
    'etcd-data': data,
    'etcd-socket': socket,
    'etcd-quota-bytes': `${ETCD_QUOTA_BYTES}`,
  }
  if (controllers !== undefined) {
    own['controllers-kubeconfig'] = join(folder, controllersKubeconfig)
    own['controllers-signing-key'] = join(folder, credentialFiles.serviceAccountKey)
    own['controllers-cluster-objects'] = `${controllers.clusterObjects}`
  }
  const args = ['apiserver', ...asArguments(own), '--', ...asArguments(apiServerFlags(place, flags))]
  return [{ program: binary.path, args }]
}

function apiServerFlags({ folder, port }: Place, more: Readonly<Record<string, string>>): Record<string, string> {
  const serviceAccountKey = join(folder, credentialFiles.serviceAccountKey)
  return {
    'etcd-servers': `unix://${etcdSocket(folder)}`,
    'bind-address': '127.0.0.1',
    'secure-port': `${port}`,
    'endpoint-reconciler-type': 'none',
    'tls-cert-file': join(folder, credentialFiles.certificate),
    'tls-private-key-file': join(folder, credentialFiles.privateKey),
    'client-ca-file': join(folder, credentialFiles.clientCa),
    'token-auth-file': join(folder, credentialFiles.tokens),
    'authorization-mode': 'RBAC',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': serviceAccountKey,
    'service-account-signing-key-file': serviceAccountKey,
    'service-cluster-ip-range': '10.0.0.0/24',
    'allow-privileged': 'true',
    'disable-admission-plugins': 'ServiceAccount',
    ...more,
  }
}

function asArguments(flags: Readonly<Record<string, string>>): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
}
