/** uPlot is in the page before the script is, as a global, which its own types do not say. */
declare const uPlot: typeof import('uplot')
