import { describe, expect, it } from 'vitest'
import { agents } from './agents.ts'
import { projectNames } from './names.ts'
import { projectFiles } from './project-files.ts'

const names = projectNames('game-operator', 'arcade.example.com', 'Game')

const styles = (['interface', 'zod'] as const).flatMap(schema => [
  { schema, hasWebhook: false },
  { schema, hasWebhook: true },
])

describe.each(styles)('AGENTS.md of a project with --schema $schema, with a webhook: $hasWebhook', style => {
  const files = projectFiles(names, style, '1.0.0')
  const text = files['AGENTS.md'] ?? ''
  const { scripts } = JSON.parse(files['package.json'] ?? '') as { scripts: Record<string, string> }

  it('has at most 60 lines', () => {
    expect(text).toBe(agents(names, style))
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })

  it('names only commands that the project has', () => {
    const commands = Array.from(
      text.matchAll(/`(?:[A-Z]+=\S+ )?((?:npm|node|npx|wherry) [^`]+)`/g),
      ([, line = '']) => line,
    )
    expect(commands.length).toBeGreaterThan(6)
    expect(commands.filter(line => !isThere(line))).toEqual([])
    expect(['npm run deploy', 'node --test test/x.test.ts', 'wherry dev'].filter(isThere)).toEqual([])
  })

  it('and no other file names a script that the project does not have', () => {
    const scriptsIn = (content: string): readonly string[] =>
      Array.from(content.matchAll(/\bnpm run ([\w:-]+)/g), ([, script = '']) => script)
    const named = Object.entries(files).flatMap(([file, content]) =>
      scriptsIn(content).map(script => ({ file, script })),
    )
    expect(new Set(named.map(({ file }) => file))).toEqual(
      new Set(['README.md', 'AGENTS.md', 'Dockerfile', '.github/workflows/ci.yaml']),
    )
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([])
    expect(scriptsIn('npm run verify')).toEqual(['verify'])
  })

  it('names only files that the project has', () => {
    const named = Array.from(text.matchAll(/`((?:src|test|deploy)\/[^`]+\.\w+)`/g), ([, path = '']) => path)
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter(path => !Object.hasOwn(files, path))).toEqual([])
  })

  function isThere(line: string): boolean {
    const [program, ...args] = line.split(' ')
    if (program === 'node') return args.every(arg => arg === '--test' || Object.hasOwn(files, arg))
    if (program === 'npx') return args.join(' ') === 'wherry add webhook NAME --for Game'
    const script = args[0] === 'run' ? args[1] : args[0]
    return program === 'npm' && (line === 'npm install' || Object.hasOwn(scripts, script ?? ''))
  }
})
