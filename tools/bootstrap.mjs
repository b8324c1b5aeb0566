// The door to everything: `node tools/bootstrap.mjs [--build] SCRIPT [ARGS…]`, run by whatever Node the machine has.
// Plain JavaScript that an old Node can read, so that it can at least say what is wrong.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 20) {
  process.stderr.write(
    `wherry: this is Node ${process.versions.node}; install Node 20 or newer (24 is best) and run this again\n`,
  )
  process.exitCode = 1
} else {
  import('./bootstrap/main.mjs').then(({ main }) => main(process.argv.slice(2)))
}
