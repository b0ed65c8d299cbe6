import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessibleInBothThemes, useBrowser } from '../support/browser.ts';
import { GoldenScene } from '../support/golden-scene.ts';
import { requireChromium } from '../support/requires.ts';

const PATH = '#/assistant/answers';

describe.skipIf(requireChromium())('golden answers in the browser', () => {
  const browser = useBrowser();
  let scene: GoldenScene;
  beforeAll(async () => {
    scene = await GoldenScene.start();
    await scene.at.people.add('rita', { isReadOnlyAdmin: true });
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test('a set is made, asked, read with what it lacks, and labelled', async () => {
    scene.script({
      'How old are oaks?': { finds: ['oak'], says: 'They grow slowly, for 300 years [1].' },
    });
    await using opened = await browser.signedInPage(scene.at.people.workspace, { path: PATH });
    const { page, complaints } = opened;
    await page.getByText('No golden answers yet').waitFor();
    await page.getByRole('button', { name: 'Add set' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add set' });
    await dialog.getByLabel('Name').fill('trees');
    await dialog.getByLabel('First question').fill('How old are oaks?');
    await dialog.getByLabel('What its answer must say').fill('for centuries');
    await dialog.getByRole('button', { name: 'Add set' }).click();
    await page.getByRole('heading', { level: 1, name: 'trees' }).waitFor();

    await page.getByRole('tab', { name: 'Questions' }).click();
    await page.getByLabel('Asked as').fill('ann');
    await page.getByRole('button', { name: 'Add a nugget' }).click();
    await page.getByLabel('Nugget 2', { exact: true }).fill('slowly');
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The questions are saved').waitFor();
    expect(await scene.admin.goldenAnswers.get('trees')).toMatchObject({
      questions: [{ asUser: 'ann', nuggets: [{ text: 'for centuries' }, { text: 'slowly' }] }],
    });

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Completed').waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('link', { name: 'Run 1' }).click();
    const nuggets = page.getByRole('list', { name: 'Nuggets of question-1' });
    await nuggets.getByText('The model read it and does not say it', { exact: false }).waitFor();
    const way = nuggets.getByRole('list', { name: 'How far it came' }).first();
    expect(await way.getByRole('listitem').allInnerTexts()).toEqual([
      'Found by search',
      'Read by the model',
      'Not in the answer',
    ]);
    await page.getByRole('row', { name: /^Citation recall \(ALCE\)/ }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole('button', { name: 'I say it is so: for centuries' }).click();
    await page.getByText('Cohen’s kappa', { exact: false }).waitFor();

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('link', { name: 'Run 2' }).click();
    await page.getByRole('columnheader', { name: 'Since run 1' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('who may only read sees it, and changes nothing', async () => {
    await using opened = await browser.signedInPage(scene.at.people.workspace, {
      path: `${PATH}/trees?tab=questions`,
      userName: 'rita',
    });
    const { page, complaints } = opened;
    await page.getByLabel('Question', { exact: true }).waitFor();
    expect(await page.getByLabel('Question', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
