import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectNames } from '../../packages/cli/src/create/names.ts'
import { projectFiles } from '../../packages/cli/src/create/project-files.ts'
import { root } from '../../tools/workspace.ts'
import { compile } from './compile.ts'
import { type Block, blocksOf } from './markdown.ts'

describe.each(['interface', 'zod'] as const)('AGENTS.md of a new project with --schema %s', schema => {
  it('has code that compiles in the sources of that project', () => {
    const files = projectFiles(
      projectNames('game-operator', 'arcade.example.com', 'Game'),
      { schema, hasWebhook: true },
      '1.0.0',
    )
    // What a project imports is installed there. Nothing is written.
    const page = 'packages/crd/AGENTS.md'
    const shown = blocksOf({ path: page, text: files['AGENTS.md'] ?? '' })
    expect(shown.length).toBeGreaterThan(0)
    const sources = Object.entries(files).filter(([name]) => name.startsWith('src/'))
    const besides = shown.map((block, at) => ({ ...block, file: `src/shown-${at}.ts` }))
    const project = sources.map(([file, code]): Block => ({ page, line: 1, code, given: undefined, file }))
    expect(compile([...project, ...besides])).toEqual([])
    const wrong = besides.map(block => ({ ...block, code: block.code.replace('await read.get', 'read.get') }))
    expect(compile([...project, ...wrong])).not.toEqual([])
  })
})

describe('SKILL.md of @wherry/controller', () => {
  const path = 'packages/controller/SKILL.md'
  const text = readFileSync(join(root, path), 'utf8')

  it('begins with its name and what it is for, as assistants look for it', () => {
    const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text) ?? []
    const [, name = ''] = /^name: (.*)$/m.exec(front) ?? []
    const [, description = ''] = /^description: (.*)$/m.exec(front) ?? []
    expect(name).toMatch(/^[a-z0-9-]{1,64}$/)
    expect(description).toContain('Use it when')
    expect(description.length).toBeLessThanOrEqual(1024)
  })

  it('has ten mistakes, each with wrong and right code', () => {
    const sections = text
      .split(/^## /m)
      .slice(1)
      .filter(section => /^\d+\. /.test(section))
    expect(sections.map(section => Number.parseInt(section, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    for (const section of sections) {
      const [block, ...others] = blocksOf({ path, text: section })
      expect(others).toEqual([])
      expect(block?.code, section).toContain('// Wrong: ')
    }
  })

  it('is published with the package', () => {
    for (const skill of globSync('packages/*/SKILL.md', { cwd: root })) {
      const manifest = JSON.parse(readFileSync(join(root, dirname(skill), 'package.json'), 'utf8'))
      expect(manifest.files).toContain('SKILL.md')
    }
    expect(existsSync(join(root, path))).toBe(true)
  })
})
