import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { field } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const TYPES = '#/manage/access/types';
const EXPLAIN = '#/manage/access/explain';
const TITLE = 'Plan "<script>alert(1)</script>" خطة';

describe.skipIf(requireChromium())('the pages of access', () => {
  const browser = useBrowser();
  let people: People;
  let sales: string;
  let note: string;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann', { firstName: 'Ann', lastName: 'Lee' });
    await people.add('bob');
    await people.add('rita', { isReadOnlyAdmin: true });
    const east = await people.addTeam('East', { add: [people.uid('ann')] });
    sales = await people.addTeam('Sales', { add: [east] });
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [
        { type: 'Contract', key: 'Number', fields: { Title: 'String', Price: 'Decimal' } },
        { type: 'Note', key: 'Slug', fields: { Title: 'String' }, label: 'Title' },
      ],
      edges: [],
    });
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [
        { op: 'addOrUpdate', type: 'Note', key: 'plan', fields: { Title: TITLE } },
        { op: 'restrict', node: { type: 'Note', key: 'plan' }, team: { uid: sales } },
      ],
    });
    const [found] = items(await people.as('admin', 'POST', '/api/node/query', { type: 'Note' }));
    note = field(found, 'UID');
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const rules = async () => Object((await people.as('admin', 'GET', '/api/access/types')).json);

  test('rules are changed, reviewed and saved; what others changed meanwhile stays', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: TYPES });
    const { page, complaints } = opened;
    await page.getByLabel('Who sees Contract').selectOption('Owners and administrators');
    await page.getByRole('button', { name: 'Fields of Contract' }).click();
    const panel = page.getByRole('dialog', { name: 'Fields of Contract' });
    await panel.getByLabel('Only some may read Price').check();
    await panel.getByText('only administrators read it').waitFor();
    await panel.getByRole('combobox', { name: 'Teams that read Price' }).fill('sal');
    await page.getByRole('option', { name: 'Sales' }).click();
    await panel.getByRole('combobox', { name: 'Users who read Price' }).fill('ann');
    await page.getByRole('option', { name: /Ann Lee/ }).click();
    await panel.getByRole('button', { name: 'Remove Ann Lee' }).waitFor();
    await panel.getByRole('combobox', { name: 'Teams that write Contract' }).fill('sal');
    await page.getByRole('option', { name: 'Sales' }).click();
    await expectAccessibleInBothThemes(page);
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Review 3 changes' }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByText('Read by: Sales, Ann Lee, administrators').waitFor();
    await review.getByText('Seen by: owners and administrators').waitFor();
    await review.getByText('Written by: Sales, administrators').waitFor();
    await expectAccessibleInBothThemes(page);

    const theirs = { Note: { visibleTo: 'restricted' } };
    await people.as('admin', 'PUT', '/api/access/types', { types: theirs });
    await review.getByRole('button', { name: 'Save' }).click();
    await review.getByText('Somebody else has changed the rules').waitFor();
    await review.getByRole('region', { name: 'Changed by somebody else' }).waitFor();
    expect(await rules()).toEqual({ types: theirs });
    await expectAccessibleInBothThemes(page);
    await review.getByRole('button', { name: 'Save' }).click();
    await review.waitFor({ state: 'detached' });
    const Price = { teams: [sales], users: [people.uid('ann')] };
    expect(await rules()).toEqual({
      types: {
        ...theirs,
        Contract: {
          visibleTo: 'restricted',
          writableBy: { teams: [sales], users: [] },
          fields: { Price },
        },
      },
    });
    await page.getByRole('row', { name: /Contract.*Price/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('what the server refuses is said, and the changes stay', async () => {
    const gone = await people.addTeam('Gone');
    await using opened = await browser.signedInPage(people.workspace, {
      path: `${TYPES}?type=Note`,
    });
    const { page } = opened;
    const panel = page.getByRole('dialog', { name: 'Fields of Note' });
    await panel.getByLabel('Only some may read Title').check();
    await panel.getByRole('combobox', { name: 'Teams that read Title' }).fill('gone');
    await page.getByRole('option', { name: 'Gone' }).click();
    await people.as('admin', 'POST', `/api/groups/group/${gone}/delete`);
    await panel.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Review 1 change' }).click();
    const review = page.getByRole('dialog', { name: 'Review the changes' });
    await review.getByRole('button', { name: 'Save' }).click();
    await review
      .getByRole('alert')
      .getByText(/is no team/)
      .waitFor();
    await expectAccessibleInBothThemes(page);
    await review.getByRole('button', { name: 'Go on editing' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByRole('button', { name: /^Review/ }).count()).toBe(0);
  });

  test('the ways on which a user sees a node are told, and changed', async () => {
    await using opened = await browser.signedInPage(people.workspace, { path: EXPLAIN });
    const { page, complaints } = opened;
    await page.getByRole('combobox', { name: 'Node' }).fill(note);
    await page.getByRole('option').first().click();
    await page.getByRole('combobox', { name: 'User', exact: true }).fill('ann');
    await page.getByRole('option', { name: /Ann Lee/ }).click();
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('Visible', { exact: true }).waitFor();
    await answer.getByText(TITLE).first().waitFor();
    const way = answer.getByRole('list', { name: 'The way' }).getByRole('listitem');
    expect(await way.allInnerTexts()).toEqual(['ann', 'East', 'Sales', TITLE]);
    await expectAccessibleInBothThemes(page);
    await page.reload();
    await answer.getByText('Visible', { exact: true }).waitFor();

    const access = page.getByRole('region', { name: 'Who may see the node' });
    await access.getByRole('button', { name: 'Remove Sales' }).click();
    await access.getByRole('combobox', { name: 'Users' }).fill('bob');
    await page.getByRole('option', { name: /bob/ }).click();
    await access.getByRole('button', { name: 'Save access' }).click();
    await answer.getByText('Not visible').waitFor();
    await answer.getByText('The node is restricted to bob.').waitFor();
    const { json } = await people.as('admin', 'GET', `/api/access/nodes/${note}`);
    expect(json).toEqual({ teams: [], users: [people.uid('bob')], owners: [] });
    expect(complaints).toEqual([]);
  });

  test('an access that the server refuses stays in the form', async () => {
    await people.add('leaver');
    const path = `${EXPLAIN}?node=${note}`;
    await using opened = await browser.signedInPage(people.workspace, {
      path,
    });
    const { page } = opened;
    const access = page.getByRole('region', { name: 'Who may see the node' });
    await access.getByRole('combobox', { name: 'Users' }).fill('leaver');
    await page.getByRole('option', { name: /leaver/ }).click();
    const uid = people.uid('leaver');
    await people.as('admin', 'POST', `/api/users/user/${uid}/deactivate`);
    await access.getByRole('button', { name: 'Save access' }).click();
    await access
      .getByRole('alert')
      .getByText(/is no active user/)
      .waitFor();
    await access.getByRole('button', { name: 'Remove leaver' }).waitFor();
    await expectAccessibleInBothThemes(page);
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: `${EXPLAIN}?node=${note}&user=${people.uid('ann')}`,
      userName: 'rita',
    });
    const { page } = opened;
    const access = page.getByRole('region', { name: 'Who may see the node' });
    await access.getByText('you are a read-only administrator').waitFor();
    expect(await access.getByRole('combobox', { name: 'Teams' }).isDisabled()).toBe(true);
    await page.goto(`${people.workspace.server.url}/${TYPES}`);
    await page.getByText('you are a read-only administrator').waitFor();
    expect(await page.getByLabel('Who sees Note').isDisabled()).toBe(true);
  });
});
