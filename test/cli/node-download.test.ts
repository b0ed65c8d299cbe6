import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { PROGRAM } from '../support/program.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Several pieces of 128 KiB. */
const BOOKS = 10_000;

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
  const { http, token } = workspace;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  const operations = Array.from({ length: BOOKS }, (_, i) => ({
    op: 'addOrUpdate',
    type: 'Book',
    key: String(i),
    fields: { Title: `"Title" ${i},\r\nsecond line`, Pages: i },
  }));
  const { status } = await http.send({ path: '/api/ingest', token, body: { operations } });
  expect(status).toBe(200);
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const download = (args: readonly string[], server = workspace.server.url) =>
  runTrellis(['node', 'download', ...args], {
    home: folder.path,
    server,
    token: workspace.token,
  });
const at = (name: string) => join(folder.path, name);

describe('trellis node download', () => {
  test('writes all nodes of a type as CSV, with the columns that are named', async () => {
    const out = at('books.csv');
    const done = await download(['--type', 'Book', '--field', 'Pages', 'Title', '--out', out]);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toMatch(/^Wrote 10,000 nodes, [\d.]+ MiB, to .*books\.csv\.\n$/);
    const rows = parse(readFileSync(out, 'utf8'), { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(BOOKS);
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'Link',
      'UID',
      'Type',
      'EdgeCount',
      'Timestamp',
      'Pages',
      'Title',
    ]);
  });

  test('writes named nodes as JSON lines, by the ending of the file', async () => {
    const out = at('two.jsonl');
    const named = ['Book/1', 'Book:2'];
    const done = await download([...named, '--links', 'https://x.example', '--out', out, '--json']);
    expect(JSON.parse(done.stdout)).toEqual({
      path: out,
      format: 'jsonl',
      nodes: 2,
      bytes: readFileSync(out).length,
    });
    const rows = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ Pages }) => Pages)).toEqual([1, 2]);
    expect(rows[0].Link).toMatch(/^https:\/\/x\.example\/#\/node\//);
  });

  test('writes a zip, and prints to standard output', async () => {
    const out = at('all.zip');
    expect((await download(['--type', 'Book', '--out', out])).code).toBe(0);
    expect(readFileSync(out).subarray(0, 2).toString()).toBe('PK');
    const printed = await download(['Book/1', 'Book/2', '--format', 'jsonl', '--out', '-']);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('says how many named nodes are not there', async () => {
    const out = at('some.csv');
    const { code, stderr } = await download(['Book/1', 'Book/1', 'Book/none', '--out', out]);
    expect(code).toBe(0);
    expect(stderr).toContain('1 node of those that are named is not there for you.\n');
    expect(stderr).toContain('Wrote 1 node, ');
  });

  test('ends quietly when its reader has enough', async () => {
    const args = ['node', 'download', '--type', 'Book', '--out', '-'];
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', PROGRAM, ...args],
      {
        env: {
          HOME: folder.path,
          TRELLIS_SERVER: workspace.server.url,
          TRELLIS_TOKEN: workspace.token,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    child.stdout.once('data', () => child.stdout.destroy());
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('overwrites nothing', async () => {
    const out = at('mine.csv');
    writeFileSync(out, 'mine');
    const { code, stderr } = await download(['--type', 'Book', '--out', out, '--json']);
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'file_exists']);
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  test.each<[string, readonly string[], number, string]>([
    ['nothing', [], 2, 'wrong_usage'],
    ['an unknown format', ['--type', 'Book', '--format', 'xls'], 2, 'wrong_usage'],
    ['what names no node', ['dog'], 2, 'wrong_usage'],
    ['a wrong address', ['--type', 'Book', '--links', 'nowhere'], 1, 'invalid_request'],
  ])('refuses %s', async (_, args, code, reason) => {
    const refused = await download([...args, '--out', at('none.csv'), '--json']);
    expect([refused.code, JSON.parse(refused.stderr).error.code]).toEqual([code, reason]);
    expect(existsSync(at('none.csv'))).toBe(false);
  });

  test('leaves no file of a download that was cut off', async () => {
    const cutting = createServer((request, response) => {
      if (request.url?.endsWith('/query')) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ items: [], total: 2, skip: 0, take: 1 }));
        return;
      }
      response.write('Link,UID\r\nhalf a row', () => response.destroy());
    });
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    const { port } = cutting.address() as AddressInfo;
    const out = at('cut.csv');
    const cut = await download(
      ['--type', 'Book', '--out', out, '--json'],
      `http://127.0.0.1:${port}`,
    );
    await new Promise((resolve) => cutting.close(resolve));
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.stderr).error.code).toBe('download_cut_off');
    expect(readdirSync(folder.path).filter((name) => name.startsWith('cut'))).toEqual([]);
  });
});
