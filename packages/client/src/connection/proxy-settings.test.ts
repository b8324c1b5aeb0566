import { expect, it } from 'vitest'
import { proxyFor, proxySettings } from './proxy-settings.ts'

const by = 'http://proxy:1'

it.each([
  ['https://10.96.0.1', '.svc,10.96.0.0/12', undefined],
  ['https://10.112.0.1', '.svc,10.96.0.0/12', by],
  ['https://[fd00::1]:6443', 'fd00::/8', undefined],
  ['https://[fd00::1]:6443', '[fd00::1]:6443', undefined],
  ['https://[fd00::1]:6443', '[fd00::1]:443', by],
  ['https://[fe00::1]', 'fd00::/8, 10.0.0.0/8', by],
  ['https://10.0.0.1', '10.0.0.1', undefined],
  ['https://10.0.0.1', '10.0.0.0/99,0.0.1,.0.0.1,x/8,/,10.0.0.0/-1', by],
  ['https://api.example.com', 'Example.com', undefined],
  ['https://example.com', 'example.com', undefined],
  ['https://example.com.', 'example.com', undefined],
  ['https://badexample.com', 'example.com', by],
  ['https://badexample.com', '*example.com', by],
  ['https://api.example.com', '.example.com', undefined],
  ['https://api.example.com', '*.example.com', undefined],
  ['https://example.com', '.example.com', by],
  ['https://api.example.com:5000', 'example.com:5000', undefined],
  ['https://api.example.com', 'example.com:5000,,', by],
  ['https://api.example.com', 'example.com:443', undefined],
  ['http://api.example.com', 'example.com:80', undefined],
  ['https://api.example.com', 'x,*', undefined],
  ['https://localhost:6443', '', undefined],
  ['https://api.localhost:6443', '', undefined],
  ['http://127.0.0.1:8001', '', undefined],
  ['http://127.5.0.1:8001', '', undefined],
  ['http://[::ffff:127.0.0.1]:8001', '', undefined],
  ['https://[::1]:6443', '', undefined],
])('takes a proxy for %s with NO_PROXY=%s as Go does: %s', (target, noProxy, expected) => {
  expect(proxyFor(new URL(target), proxySettings({ ALL_PROXY: by, NO_PROXY: noProxy }))).toBe(expected)
  expect(proxyFor(new URL(target), proxySettings({ all_proxy: by, no_proxy: noProxy, NO_PROXY: 'x' }))).toBe(expected)
})

it.each([
  ['https_proxy', 'proxy:3128', 'http://proxy:3128'],
  ['HTTPS_PROXY', 'user:pass@proxy:3128', 'http://user:pass@proxy:3128'],
  ['ALL_PROXY', '10.0.0.1:1', 'http://10.0.0.1:1'],
  ['all_proxy', 'http://10.0.0.1:1', 'http://10.0.0.1:1'],
  ['HTTPS_PROXY', 'https://proxy:1', 'https://proxy:1'],
  ['HTTP_PROXY', 'http://proxy:1', undefined],
])('takes %s=%s for https as Go and curl do: %s', (name, value, expected) => {
  expect(proxyFor(new URL('https://api.example.com'), proxySettings({ [name]: value }))).toBe(expected)
})

it('takes the lower-case name first, and an empty value for none', () => {
  const of = (env: Record<string, string>) => proxyFor(new URL('https://api.example.com'), proxySettings(env))
  expect(of({ https_proxy: 'http://lower:1', HTTPS_PROXY: 'http://upper:1' })).toBe('http://lower:1')
  expect(of({ https_proxy: '', HTTPS_PROXY: 'http://upper:1' })).toBe('http://upper:1')
  expect(of({ https_proxy: '' })).toBeUndefined()
})

it('takes a proxy that a program gives for this machine too', () => {
  expect(proxyFor(new URL('https://127.0.0.1:5000'), { https: by })).toBe(by)
  expect(proxyFor(new URL('https://127.0.0.1:5000'), { https: by, noProxy: '127.0.0.1:5000' })).toBeUndefined()
})
