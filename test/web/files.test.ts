import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser, type PageOptions } from '../support/browser.ts';
import { FileScene } from '../support/file-scene.ts';
import { PASSWORD } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';
import { untilIndexed } from '../support/search-index.ts';

const MB = 1024 * 1024;

describe.skipIf(requireChromium())('files on the page of a node', () => {
  const browser = useBrowser();
  let at: FileScene;
  beforeAll(async () => {
    at = await FileScene.start();
  });
  afterAll(() => at[Symbol.asyncDispose]());

  const open = (path: string, options: PageOptions & { userName?: string } = {}) =>
    browser.signedInPage(at.workspace, {
      path,
      ...(options.userName === undefined ? {} : { password: PASSWORD }),
      ...options,
    });

  test('are added, shown with what became of their text, downloaded and deleted', async () => {
    await using opened = await open(`#/node/${at.notes.open}`);
    const { page, complaints } = opened;
    const files = page.getByRole('region', { name: 'Files' });
    await files.getByText('It has no files').waitFor();
    await expectAccessible(page);
    await files.getByLabel('Add files').setInputFiles([
      { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('A zeppelin plan') },
      { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('no photo') },
      { name: 'bad.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no PDF') },
    ]);
    const rows = files.getByRole('list', { name: 'Files of the node' }).getByRole('listitem');
    const rowOf = (name: string) => rows.filter({ hasText: name });
    await rowOf('plan.txt').getByText('Text can be searched', { exact: true }).waitFor();
    await rowOf('bad.pdf').getByText('Text cannot be searched').waitFor();
    await rowOf('photo.png').waitFor();
    expect(await rowOf('photo.png').getByText(/text/).count()).toBe(0);
    await expectAccessible(page);

    const saved = page.waitForEvent('download');
    const isShown = Promise.withResolvers<void>();
    await page.route(/\/api\/files\/[^/]+\/content/, async (route) => {
      await isShown.promise;
      await route.continue();
    });
    await files.getByRole('button', { name: 'Download plan.txt' }).click();
    await files.getByRole('progressbar', { name: 'Downloading plan.txt' }).waitFor();
    isShown.resolve();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('plan.txt');
    expect(await readText(await download.createReadStream())).toBe('A zeppelin plan');

    await files.getByRole('button', { name: 'Delete bad.pdf' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete bad.pdf?' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await rowOf('bad.pdf').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('are dropped on it; a name that is taken is said to be, and an upload can be cancelled', async () => {
    await at.uploaded(at.notes.kept, 'taken.txt', 'first');
    await using opened = await open(`#/node/${at.notes.kept}`);
    const { page, complaints } = opened;
    const files = page.getByRole('region', { name: 'Files' });
    await files.getByText('taken.txt').waitFor();
    const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
      transfer.items.add(new File(['second'], 'taken.txt', { type: 'text/plain' }));
      return transfer;
    })()`);
    await files.dispatchEvent('drop', { dataTransfer: dropped });
    await files.getByRole('button', { name: 'Download dropped.txt' }).waitFor();
    const uploads = files.getByRole('list', { name: 'Uploads' });
    await uploads
      .getByRole('alert')
      .getByText(/There is a file "taken\.txt" already/)
      .waitFor();
    await expectAccessible(page);
    await uploads.getByRole('button', { name: 'Cancel taken.txt' }).click();
    await uploads.waitFor({ state: 'detached' });

    // The second piece does not get through.
    let pieces = 0;
    await page.route('**/api/uploads/*', async (route) => {
      const isPiece = route.request().method() === 'PATCH';
      if (isPiece && ++pieces > 1) return;
      await route.continue();
    });
    const large = { name: 'large.bin', mimeType: 'a/b', buffer: Buffer.alloc(9 * MB) };
    await files.getByLabel('Add files').setInputFiles([large]);
    const bar = uploads.getByRole('progressbar', { name: 'large.bin' });
    await expect.poll(() => bar.getAttribute('aria-valuetext')).toBe('44%');
    await expectAccessible(page);
    await uploads.getByRole('button', { name: 'Cancel large.bin' }).click();
    await uploads.waitFor({ state: 'detached' });
    await expect.poll(() => at.count('_FileUpload')).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('are read by those who see the node, who find them by their text', async () => {
    const uid = await at.uploaded(at.notes.open, 'story.txt', 'The yacht sails at dawn');
    while ((await at.ok('admin', 'GET', `/api/files/${uid}`)).TextState === 'pending');
    await untilIndexed(at.workspace.http, at.workspace.token);
    await using opened = await open('#/?q=yacht', { userName: 'bob' });
    const { page, complaints } = opened;
    const hit = page.getByRole('article', { name: 'story.txt' });
    await hit.getByText('The yacht sails at dawn').waitFor();
    await expectAccessible(page);
    await hit.getByRole('link', { name: 'open', exact: true }).click();
    const files = page.getByRole('region', { name: 'Files' });
    await files.getByRole('button', { name: 'Download story.txt' }).waitFor();
    expect(await files.getByLabel('Add files').count()).toBe(0);
    expect(await files.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
