import type { ServerRequest } from '../exchange.ts'
import type { KubeObject } from '../objects/object.ts'
import { isTrue, type RequestInfo, type ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { chosenProtocol, openChannels } from './channels.ts'
import { checkRuns, containerOf, isOnNode } from './container-of.ts'
import type { AttachCall, ContainerHandlers, ExecAnswer } from './handlers.ts'
import { playPort, portProtocols } from './port.ts'
import { playProcess, processProtocols } from './process.ts'

const connections = ['exec', 'attach', 'portforward']

/** Whether a subresource connects its caller to a container. */
export function isConnection({ group, plural, custom }: ResourceType, subresource: string): boolean {
  return !custom && group === '' && plural === 'pods' && connections.includes(subresource)
}

/** A request to be connected to a pod. */
export interface ConnectRequest {
  readonly request: ServerRequest
  readonly info: RequestInfo
  readonly target: ResourceTarget
  readonly pod: KubeObject
}

/** Connects a client to the handler of a container. Throws the server's refusals, and a 501 if there is no handler. */
export function connect(handlers: ContainerHandlers, asked: ConnectRequest): void {
  const { request, info, target, pod } = asked
  const { subresource, namespace, name } = target
  const container = subresource === 'portforward' ? '' : containerOf(pod, info.query.get('container'))
  if (!isOnNode(pod)) {
    throw StatusError.badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`)
  }
  const { exec, attach, portForward } = handlers
  if (subresource === 'portforward') {
    if (portForward === undefined) throw unplayed(subresource)
    const port = portOf(info.query)
    open(request, portProtocols, socket => playPort(socket, { namespace, pod: name, port }, portForward))
    return
  }
  const one = { namespace, pod: name, container }
  const command = info.query.getAll('command')
  let play: (call: AttachCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>
  if (subresource === 'exec') {
    if (exec === undefined) throw unplayed(subresource)
    if (command.length === 0) throw StatusError.badRequest('you must specify a command for the container')
    play = call => exec({ ...call, command })
  } else {
    if (attach === undefined) throw unplayed(subresource)
    play = attach
  }
  const flag = (key: string): boolean => isTrue(info.query.get(key))
  const tty = flag('tty')
  const streams = { stdin: flag('stdin'), stdout: flag('stdout'), stderr: flag('stderr') && !tty, tty }
  open(request, processProtocols, socket =>
    playProcess(socket, one, streams, call => {
      checkRuns(pod, container)
      return play(call)
    }),
  )
}

function unplayed(subresource: string): StatusError {
  const method = { exec: 'onExec', attach: 'onAttach', portforward: 'onPortForward' }[subresource]
  return StatusError.missing(`pods/${subresource} of a Pod on a node, before the test has called ${method}()`)
}

function portOf(query: URLSearchParams): number {
  const [first = '', ...more] = query.getAll('ports').flatMap(text => text.split(','))
  const port = Number(first)
  if (first === '') throw StatusError.badRequest('query parameter "port" is required')
  if (more.length > 0) throw StatusError.missing('the forwarding of several ports over one connection')
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw StatusError.badRequest(`unable to parse "${first}" as a port`)
}

function open(
  request: ServerRequest,
  protocols: readonly string[],
  play: (socket: Awaited<ReturnType<typeof openChannels>>) => Promise<void>,
): void {
  const { upgrade } = request
  if (upgrade === undefined) throw StatusError.badRequest('Upgrade request required')
  const protocol = chosenProtocol(upgrade, protocols)
  void openChannels(upgrade, protocol)
    .then(play)
    .catch(() => upgrade.socket.destroy())
}
