/** The page of `wherry dev`: it shows the overview that `/events` sends, and asks `/explain` for a key. It shows all data of an operator as plain text. */
export const pageHtml = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>wherry dev</title>
<style>
  :root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif }
  body { margin: 1.5rem; max-width: 80rem }
  h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin-top: 1.5rem }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; border-bottom: 1px solid #8884 }
  td { overflow-wrap: anywhere }
  button { all: unset; cursor: pointer; text-decoration: underline }
  button:focus-visible { outline: 2px solid }
  pre { white-space: pre-wrap; padding: .8rem; background: #8882 }
  .bad { color: #c33 } .dim { opacity: .7 }
</style>
<h1><span id="name">No operator runs yet</span> <span id="program" class="dim"></span></h1>
<p class="dim">API server: <span id="server"></span></p>
<h2>Controllers and their queues</h2>
<table><thead><tr><th>Controller<th>Watches<th>Queue</thead><tbody id="controllers"></tbody></table>
<h2>Keys, and why each last ran</h2>
<table><thead><tr><th>Key<th>Controller<th>Why<th>Outcome<th>Took<th>At<th>Runs</thead><tbody id="keys"></tbody></table>
<pre id="explanation" hidden></pre>
<div id="webhooks" hidden>
<h2>What its webhooks were asked</h2>
<table><thead><tr><th>Object<th>Webhook<th>Request<th>Answer<th>Took<th>At</thead><tbody id="admissions"></tbody></table>
</div>
<h2>What it holds</h2>
<table><thead><tr><th>View<th>State<th>Objects<th>Received<th>Held by</thead><tbody id="views"></tbody></table>
<script>
  const token = new URLSearchParams(location.search).get('token')
  const at = id => document.getElementById(id)
  const rows = (id, items, cellsOf) => at(id).replaceChildren(...items.map(item => {
    const row = document.createElement('tr')
    for (const content of cellsOf(item)) {
      const cell = row.insertCell()
      if (content instanceof Node) cell.append(content)
      else cell.textContent = content
    }
    return row
  }))
  const bad = text => Object.assign(document.createElement('span'), { className: 'bad', textContent: text })
  let asked
  async function explain() {
    const answer = await fetch('/explain?' + new URLSearchParams({ ...asked, token }))
    at('explanation').textContent = await answer.text()
    at('explanation').hidden = false
  }
  const answerOf = ({ allowed, message, warnings, changes }) => {
    if (!allowed) return bad('denied: ' + message)
    const answer = changes.length > 0 ? 'allowed, and changed: ' + changes.join('; ') : 'allowed'
    return warnings.length > 0 ? answer + '; with the warning ' + warnings.join('; ') : answer
  }
  const keyButton = ({ controller, key }) => {
    const button = Object.assign(document.createElement('button'), { textContent: key })
    button.onclick = () => { asked = { controller, key }; explain() }
    return button
  }
  const show = ({ program, server, operator, keys, admissions }) => {
    at('program').textContent = program
    at('server').textContent = server
    at('name').textContent = operator ? operator.name : 'No operator runs yet'
    const { controllers = [], views = [] } = operator ?? {}
    rows('controllers', controllers, ({ name, views, obstacle, pending, loops = [] }) =>
      [name, views.join(', '), obstacle || loops.length > 0 ? bad(obstacle || loops.join('; ')) : pending.join('; ') || 'idle'])
    rows('keys', keys, one => [keyButton(one), one.controller, one.why, one.error ? bad(one.error) : one.outcome,
      Math.round(one.tookMs) + ' ms', new Date(one.startedAt).toLocaleTimeString(), one.runs])
    at('webhooks').hidden = admissions.length === 0
    rows('admissions', admissions, one => [one.object, one.webhook,
      one.operation + ' ' + one.resource + (one.isDryRun ? ', dry run,' : '') + ' by ' + one.user, answerOf(one),
      one.tookMs.toFixed(1) + ' ms', new Date(one.startedAt).toLocaleTimeString()])
    rows('views', views, ({ view, state, objects, receivedBytes, holders }) =>
      [view, state, objects, (receivedBytes / 1000).toFixed(1) + ' kB', holders.join(', ')])
    if (asked) explain()
  }
  const events = new EventSource('/events?' + new URLSearchParams({ token }))
  events.onmessage = event => show(JSON.parse(event.data))
  events.onerror = () => { at('program').textContent = 'wherry dev has ended' }
</script>
</html>
`
