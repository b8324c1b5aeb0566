// Requires each front door that it is given, and compares it with what import gives.
async function main() {
  for (const door of process.argv.slice(2)) {
    const required = Object.keys(require(door)).sort()
    const imported = Object.keys(await import(door)).sort()
    if (`${required}` !== `${imported}`) throw new Error(`require of ${door} gives ${required}, and import ${imported}`)
  }
  console.log('required all')
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
