import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** A process in the system's list of processes. */
export interface ListedProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly rssBytes: number
}

/** All processes of this machine that this user may see. From /proc on Linux, from `ps` elsewhere. */
export async function listProcesses(): Promise<readonly ListedProcess[]> {
  return process.platform === 'linux' ? await fromProc() : parsePs(await ps())
}

/** The resident memory of a process, its descendants and its process group, in bytes. Shared pages count for each process. */
export function rssOf(leader: number, all: readonly ListedProcess[]): number {
  const children = new Map<number, ListedProcess[]>()
  for (const listed of all) {
    const siblings = children.get(listed.parent)
    if (siblings === undefined) children.set(listed.parent, [listed])
    else siblings.push(listed)
  }
  const counted = new Map<number, number>()
  const waiting = all.filter(({ pid, group }) => pid === leader || group === leader)
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (counted.has(one.pid)) continue
    counted.set(one.pid, one.rssBytes)
    waiting.push(...(children.get(one.pid) ?? []))
  }
  return [...counted.values()].reduce((sum, rss) => sum + rss, 0)
}

async function fromProc(): Promise<readonly ListedProcess[]> {
  const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const all = await Promise.all(
    names.map(async name => {
      // A process may have ended meanwhile.
      const [stat, status] = await Promise.all(
        ['stat', 'status'].map(file => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
      )
      return parseProc(Number(name), stat ?? '', status ?? '')
    }),
  )
  return all.filter(one => one !== undefined)
}

/** @param stat `/proc/PID/stat`: its second field is a name in parentheses that may have any character */
export function parseProc(pid: number, stat: string, status: string): ListedProcess | undefined {
  const [, parent, group] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  if (parent === undefined || group === undefined) return undefined
  // A process without memory of its own has no such line.
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? '0'
  return { pid, parent, group, rssBytes: Number(kilobytes) * 1024 }
}

async function ps(): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss='])
  return stdout
}

/** @param text lines of process, parent, group, and kilobytes */
export function parsePs(text: string): readonly ListedProcess[] {
  return text
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .filter(fields => fields.length === 4)
    .map(([pid = 0, parent = 0, group = 0, kilobytes = 0]) => ({ pid, parent, group, rssBytes: kilobytes * 1024 }))
}
