import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { InputData, JSONSchemaInput, JSONSchemaStore, quicktype } from 'quicktype-core';
import { openApiDocument } from '../../../gateway/openapi/openapi-document.ts';
import { isForClients } from '../../../gateway/openapi/reference-document.ts';
import { taskInput } from '../../support/api-client.ts';
import { ROUTES } from '../../support/contract/described-api.ts';
import { withProgram } from '../../support/installed-programs.ts';
import { useGateway } from '../api-fixture.ts';

/** Types in other languages, made from /openapi.json by quicktype, read an answer that the API gave. */

const BUILD_MS = 120_000;
const ADDRESS = 'http://gateway.example/openapi.json';
const MODELS = ['Task', 'Agent', 'Customer', 'Package', 'Location', 'Payment', 'Webhook', 'TaskCreatedEvent'];

const fixture = useGateway();
const folder = mkdtempSync(join(tmpdir(), 'types-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** One document for all models, so that a model that many others have is one type. */
class DocumentStore extends JSONSchemaStore {
  readonly #document: object;

  constructor(document: object) {
    super();
    this.#document = document;
  }

  async fetch(): Promise<never> {
    return this.#document as never;
  }
}

async function typesIn(lang: 'go' | 'python', document: object, rendererOptions: object): Promise<string> {
  const input = new JSONSchemaInput(new DocumentStore(document));
  const { schemas } = (document as { readonly components: { readonly schemas: Record<string, object> } }).components;
  // Lists of values are found from the models that have them.
  const models = Object.keys(schemas).filter((model) => !('enum' in schemas[model]!));
  for (const model of models)
    await input.addSource({ name: model, uris: [`${ADDRESS}#/components/schemas/${model}`] } as never);
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({ inputData, lang, rendererOptions, combineClasses: false, inferMaps: false });
  return lines.join('\n');
}

/** The answer to a create, and the line that a program prints of it. */
async function createTask(): Promise<{ readonly answer: string; readonly line: string }> {
  const { text: answer } = await fixture.api.post('/tasks', taskInput());
  const { data } = JSON.parse(answer) as { readonly data: Readonly<Record<string, unknown>> };
  return { answer, line: `${data['id']} ${data['name']} ${data['status']} ${data['createdAt']}\n` };
}

let created: ReturnType<typeof createTask> | undefined;

/**
 * The first test makes the task before anything else: the generator and the compiler hold up this process, and so the
 * gateway in it, for longer than its lease.
 */
function createdTask(): ReturnType<typeof createTask> {
  created ??= createTask();
  return created;
}

const openApi = () => structuredClone(openApiDocument(ROUTES.filter(isForClients), '0'));

test('types for Go, made from the document, compile and read an answer', withProgram('go'), async () => {
  const { answer, line } = await createdTask();
  const made = await typesIn('go', openApi(), { 'just-types': 'true' });
  // It writes its import behind the first types, where Go allows none.
  const types = made.replaceAll('import "time"\n', '');
  for (const model of MODELS) assert.match(types, new RegExp(`^type ${model} struct`, 'm'));
  const [program, source, main] = ['read-task', 'types.go', 'main.go'].map((file) => join(folder, file));
  writeFileSync(source!, `package main\n\nimport "time"\n\n${types}\n`);
  writeFileSync(
    main!,
    `package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	var answer TaskResponse
	if err := json.NewDecoder(os.Stdin).Decode(&answer); err != nil {
		panic(err)
	}
	task := answer.Data
	fmt.Println(task.ID, task.Name, task.Status, task.CreatedAt.Format("2006-01-02T15:04:05.000Z07:00"))
}
`,
  );
  const env = { PATH: process.env['PATH'], HOME: folder, GOCACHE: join(folder, 'go-cache'), GO111MODULE: 'off' };
  execFileSync('go', ['build', '-o', program!, source!, main!], { env, timeout: BUILD_MS });
  assert.equal(execFileSync(program!, { input: answer, encoding: 'utf8' }), line);
});

test(
  'types for Python, made from the document, read an answer and write it again',
  withProgram('python3'),
  async () => {
    const { answer, line } = await createdTask();
    // For times the types need a package that does not come with Python; as texts they do not.
    const document = JSON.parse(
      JSON.stringify(openApi()).replaceAll('"format":"date-time"', '"format":"text"'),
    ) as object;
    const types = await typesIn('python', document, { 'python-version': '3.7' });
    for (const model of MODELS) assert.match(types, new RegExp(`^class ${model}:`, 'm'));
    writeFileSync(join(folder, 'types_of_api.py'), types);
    const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
from types_of_api import TaskResponse
text = json.load(sys.stdin)
answer = TaskResponse.from_dict(text)
task = answer.data
print(task.id, task.name, task.status.value, task.created_at)
assert answer.to_dict() == text, "the answer is another one when it is written again"
`;
    const printed = execFileSync('python3', ['-c', program, folder], {
      input: answer,
      encoding: 'utf8',
      timeout: BUILD_MS,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
    });
    assert.equal(printed, line);
  },
);
