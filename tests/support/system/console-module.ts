import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CONSOLE = fileURLToPath(new URL('../../../gateway/console', import.meta.url));

/** The exports of `source`, a module in the folder of the console. Node loads no JSX, so it is built as the console is. */
// biome-ignore lint/suspicious/noExplicitAny: the tests are compiled without the types of a browser.
export async function consoleModule(source: string): Promise<any> {
  const stdin = { contents: source, resolveDir: CONSOLE };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, format: 'esm', loader: { '.svg': 'text' } });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`);
}
