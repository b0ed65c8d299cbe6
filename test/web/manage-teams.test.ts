import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { items, People } from '../support/people.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/manage/access/teams';
const HOSTILE = 'الفريق "<b>"';

describe.skipIf(requireChromium())('the page of teams', () => {
  const browser = useBrowser();
  let people: People;
  beforeAll(async () => {
    people = await People.start();
    await people.add('ann');
    await people.add('bob');
    await people.add('lead', { roles: ['CanManageTeams'] });
    await people.add('rita', { isReadOnlyAdmin: true });
    await people.addTeam('East', { add: [people.uid('ann')] });
    await people.addTeam('West', { admins: [people.uid('bob')] });
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const teams = async () =>
    items(await people.as('admin', 'GET', '/api/groups')).map(({ Name }) => Name);

  const add = async (page: Page, label: string, name: string) => {
    await page.getByRole('combobox', { name: label }).fill(name);
    await page.getByRole('option', { name }).click();
  };

  test('a team is created, filled, nested, renamed and deleted', async () => {
    const team = HOSTILE;
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
    });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Add team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add team' });
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await dialog.getByText('Give the team a name.').waitFor();
    await dialog.getByLabel('Name').fill('east');
    await dialog.getByLabel('Description').fill('<script>alert(1)</script>');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await dialog.getByText('is taken').waitFor();
    await expectAccessibleInBothThemes(page);
    await dialog.getByLabel('Name').fill(team);
    await dialog.getByRole('button', { name: 'Create team' }).click();

    const panel = page.getByRole('dialog', { name: team });
    await panel.getByText('Nobody is in this team').waitFor();
    await add(page, 'Add a user', 'bob');
    await panel.getByRole('button', { name: 'Remove bob' }).waitFor();
    await add(page, 'Add a team', 'East');
    const members = panel.getByRole('list', { name: 'Members' });
    await members.getByText('East').waitFor();
    await add(page, 'Administrators of the team', 'lead');
    await panel.getByRole('list', { name: 'Administrators of the team' }).waitFor();
    await expectAccessibleInBothThemes(page);
    await panel.getByRole('tab', { name: 'Everybody in it' }).click();
    const everybody = panel.getByRole('list', { name: 'Everybody in the team' });
    await everybody.getByText('ann').first().waitFor();
    await everybody.getByText('bob').first().waitFor();
    expect(page.url()).toContain('tab=everybody');

    await panel.getByRole('tab', { name: 'Members' }).click();
    await panel.getByRole('button', { name: 'Remove bob' }).click();
    await expect.poll(() => members.getByText('bob').count()).toBe(0);
    await panel.getByRole('tab', { name: 'Details' }).click();
    await panel.getByLabel('Name').fill(`${team} renamed`);
    await panel.getByRole('button', { name: 'Save' }).click();
    const renamed = page.getByRole('dialog', { name: `${team} renamed` });
    await renamed.getByRole('button', { name: 'Delete team' }).click();
    const question = page.getByRole('alertdialog', {
      name: `Delete the team “${team} renamed”?`,
    });
    await expectAccessibleInBothThemes(page);
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(teams).toEqual(['East', 'West']);
    expect(complaints).toEqual([]);
  });

  test('what the server refuses is said: a circle, and a team that nodes are restricted to', async () => {
    const inner = await people.addTeam('Inner');
    const outer = await people.addTeam('Outer', { add: [inner] });
    await people.as('admin', 'PUT', '/api/schema', {
      nodes: [{ type: 'Note', key: 'Slug', fields: {} }],
      edges: [],
    });
    await people.as('admin', 'POST', '/api/ingest', {
      operations: [
        { op: 'addOrUpdate', type: 'Note', key: 'n', fields: {} },
        { op: 'restrict', node: { type: 'Note', key: 'n' }, team: { uid: outer } },
      ],
    });
    const path = `${PATH}?team=${inner}`;
    await using opened = await browser.signedInPage(people.workspace, { path });
    const { page } = opened;
    await add(page, 'Add a team', 'Outer');
    await page.getByText('A team cannot be a member of itself').first().waitFor();
    await page.goto(`${people.workspace.server.url}/${PATH}?team=${outer}&tab=details`);
    await page.getByRole('button', { name: 'Delete team' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The team was not deleted').first().waitFor();
  });

  test('who administers a team changes it, and no other', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'bob',
    });
    const { page, complaints } = opened;
    expect(await page.getByRole('button', { name: 'Add team' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Open West' }).click();
    await add(page, 'Add a user', 'ann');
    await page.getByRole('button', { name: 'Remove ann' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('button', { name: 'Open East' }).click();
    await page.getByText('You may not change this').waitFor();
    expect(await page.getByRole('button', { name: 'Remove ann' }).isDisabled()).toBe(true);
    expect(await page.getByRole('combobox', { name: 'Add a user' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('where teams are disabled, the reason of the server is shown', async () => {
    const setting = (teamsEnabled: boolean) =>
      people.as('admin', 'PUT', '/api/workspace/settings', { teamsEnabled });
    await setting(false);
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'lead',
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Add team' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add team' });
    await dialog.getByLabel('Name').fill('North');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    const alert = dialog.getByRole('alert');
    await alert.getByText(/Teams are disabled in this workspace/).waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('North');
    await setting(true);
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('dialog', { name: 'North' }).waitFor();
  });

  test('a read-only administrator looks, and changes nothing', async () => {
    await using opened = await browser.signedInPage(people.workspace, {
      path: PATH,
      userName: 'rita',
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'Open East' }).click();
    await page.getByText('you are a read-only administrator').waitFor();
    const remove = page.getByRole('listitem').getByRole('button', { name: 'Remove ann' });
    expect(await remove.isDisabled()).toBe(true);
  });
});
