import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../tools/workspace.ts'

interface Field {
  readonly type: string
  readonly id?: string
  readonly attributes: { readonly label?: string; readonly value?: string }
  readonly validations?: { readonly required?: boolean }
}

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly Field[]
}

/** What GitHub would not show of a form: it says so on a page that only a person opening an issue sees. */
function problems({ name, description, body }: Form): string[] {
  const ids = body.flatMap(({ id }) => id ?? [])
  return [
    ...(name && description ? [] : ['a form has a name and a description']),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map(id => `${id} is there twice`),
    ...body.flatMap(({ type, id, attributes }) => {
      if (type === 'markdown') return attributes.value ? [] : ['a text has a value']
      if (!['checkboxes', 'dropdown', 'input', 'textarea'].includes(type)) return [`${type} is no type of a field`]
      return id && attributes.label ? [] : [`a field of type ${type} has an id and a label`]
    }),
  ]
}

describe('what GitHub shows to a contributor', () => {
  const folder = join(root, '.github')
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

  it('asks for version, what was seen, what was expected and the smallest program of a bug', () => {
    const form = parse(read('ISSUE_TEMPLATE/bug.yml')) as Form
    expect(problems(form)).toEqual([])
    const required = form.body.filter(({ validations }) => validations?.required === true)
    expect(required.map(({ id }) => id)).toEqual(['version', 'seen', 'expected', 'program'])
  })

  it('sends questions to the discussions, and vulnerabilities to SECURITY.md', () => {
    const config = parse(read('ISSUE_TEMPLATE/config.yml')) as {
      readonly blank_issues_enabled: boolean
      readonly contact_links: readonly { readonly name: string; readonly url: string; readonly about: string }[]
    }
    expect(config.blank_issues_enabled).toBe(false)
    expect(config.contact_links.every(({ name, about }) => name !== '' && about !== '')).toBe(true)
    expect(config.contact_links.map(({ url }) => url.replace('https://github.com/wherry-dev/wherry/', ''))).toEqual([
      'discussions',
      'blob/main/SECURITY.md',
    ])
  })

  it('names only files that there are', () => {
    const files = globSync(['*', 'ISSUE_TEMPLATE/*'], { cwd: folder }).filter(file => /\.(md|yml)$/.test(file))
    expect(files.length).toBe(4)
    const links = files.flatMap(file => [...read(file).matchAll(/wherry-dev\/wherry\/blob\/main\/([\w./-]*\w)/g)])
    expect(links.length).toBeGreaterThan(2)
    expect(links.map(([, file = '']) => file).filter(file => !existsSync(join(root, file)))).toEqual([])
  })

  it('gives code to teams, not to people', () => {
    const lines = read('CODEOWNERS')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
    expect(lines[0]).toBe('* @wherry-dev/maintainers')
    const owners = lines.flatMap(line => line.split(/\s+/).slice(1))
    expect(owners.filter(owner => !/^@wherry-dev\/[\w-]+$/.test(owner))).toEqual([])
  })
})

it('problems finds what GitHub refuses of a form', () => {
  const body: Field[] = [
    { type: 'markdown', attributes: {} },
    { type: 'text', id: 'a', attributes: { label: 'A' } },
    { type: 'input', id: 'a', attributes: { label: 'A' } },
    { type: 'input', id: 'b', attributes: {} },
  ]
  expect(problems({ name: 'Bug', description: '', body })).toEqual([
    'a form has a name and a description',
    'a is there twice',
    'a text has a value',
    'text is no type of a field',
    'a field of type input has an id and a label',
  ])
})
