import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './docs/build.ts'
import { serveFolder } from './docs/serve.ts'
import { program } from './program.ts'
import { root } from './workspace.ts'

const usage = `npm run docs [-- --serve] [--base PATH] [--out FOLDER]
  --serve       serves the site on this machine when it is built, until Ctrl+C
  --base PATH   the path at which a host will have it: /wherry/ (default: /)
  --out FOLDER  where to write it (default: .cache/docs/built)`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      serve: { type: 'boolean' },
      base: { type: 'string', default: '/' },
      out: { type: 'string', default: '.cache/docs/built' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(usage)
    return 0
  }
  const { base } = values
  if (!/^\/(.+\/)?$/.test(base)) throw new Error(`--base takes a path that begins and ends with /, and got ${base}`)
  const out = resolve(root, values.out)
  await buildSite({ out, base })
  console.log(`the site is in ${out}: any server of files can serve it at ${base}`)
  if (!values.serve) return 0
  const { url } = await serveFolder(out, base, 4173)
  console.log(`it is served at ${url} until Ctrl+C`)
  return new Promise(() => undefined)
}

await program('npm run docs', usage, main)
