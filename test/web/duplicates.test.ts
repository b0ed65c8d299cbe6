import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/admin/duplicates?type=Person';

describe.skipIf(requireChromium())('the page of duplicates', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('rita', { isReadOnlyAdmin: true });
    const fields = { Name: 'String', Email: 'String', City: 'String' };
    const nodes = [{ type: 'Person', key: 'Number', label: 'Name', fields }];
    await people.as('admin', 'PUT', '/api/schema', { nodes, edges: [] });
    const person = (key: string, values: Record<string, string>) => ({
      op: 'addOrUpdate',
      type: 'Person',
      key,
      fields: values,
    });
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [
        person('1', { Name: 'Ann Lee', Email: 'ann@example.com', City: 'Rome' }),
        person('2', { Name: 'Lee, Ann', Email: 'ann@example.com', City: 'Oslo' }),
        person('3', { Name: 'Jonathan Doering' }),
        person('4', { Name: 'Jonathan Doring' }),
      ],
    });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const cityOf = async (): Promise<string[]> => {
    const found = await people.as('admin', 'POST', '/api/node/query', { type: 'Person', take: 10 });
    return items(found).flatMap((node) => (Object(node).City as string | undefined) ?? []);
  };

  test('pairs are found, compared, merged with a choice of values, dismissed and split', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('Nothing to decide').waitFor();
    await page.getByRole('button', { name: 'Find duplicates' }).click();
    const table = page.getByRole('table', { name: 'Pairs' });
    await table.getByText('same name, same Email').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: /^Jonathan .* are two things$/ }).click();
    await page.getByRole('tab', { name: 'Two things' }).click();
    await page.getByText('Jonathan Doering').waitFor();
    await page.getByRole('tab', { name: 'To decide' }).click();

    await page.getByRole('button', { name: /^Compare .*Ann/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'City: Rome' }).check();
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole('button', { name: 'Keep the other one' }).click();
    await dialog.getByRole('radio', { name: 'City: Rome' }).check();
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByText('They are one node').waitFor();
    await page.getByText('Nothing to decide').waitFor();
    expect(await cityOf()).toEqual(['Rome']);

    await page.getByRole('tab', { name: 'Merged' }).click();
    await page.getByRole('button', { name: /^Split / }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Split' }).click();
    await page.getByText('They are two nodes again').waitFor();
    await page.getByText('Nothing is merged').waitFor();
    expect((await cityOf()).toSorted()).toEqual(['Oslo', 'Rome']);
    expect(complaints).toEqual([]);
  });

  test('a read-only administrator looks at it and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: '#/admin/duplicates?tab=dismissed',
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByText('Jonathan Doering').waitFor();
    expect(await page.getByRole('button', { name: /^Decide on/ }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Find duplicates' }).isDisabled()).toBe(true);
  });
});
