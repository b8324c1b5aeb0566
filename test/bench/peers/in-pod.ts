/** Imported into a program that is measured: it finds the files of its service account where a Pod has them, as its Deployment starts it. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const place = '/var/run/secrets/kubernetes.io/serviceaccount'
const { SERVICE_ACCOUNT: folder = '' } = process.env

/** Has a function of `node:fs` that takes a path first look into the folder in place of the place. */
function moved<T extends object, K extends keyof T>(of: T, name: K): void {
  const original = of[name] as (...args: unknown[]) => unknown
  const at = (path: unknown): unknown =>
    typeof path === 'string' && path.startsWith(place) ? join(folder, path.slice(place.length)) : path
  of[name] = ((path: unknown, ...rest: unknown[]) => original.call(of, at(path), ...rest)) as T[K]
}

for (const name of ['readFileSync', 'existsSync', 'accessSync', 'statSync'] as const) moved(fs, name)
for (const name of ['open', 'readFile', 'access', 'stat'] as const) moved(fs.promises, name)
syncBuiltinESMExports()
