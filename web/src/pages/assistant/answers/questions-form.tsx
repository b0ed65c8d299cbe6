import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  GOLDEN_NUGGETS_MAX,
  GOLDEN_QUESTIONS_MAX,
  GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX,
} from '@trellis/contract/limits.ts';
import type { GoldenAnswers } from '@trellis/contract/shapes/golden-answers.ts';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useFieldArray, useForm, useFormContext, useWatch } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { isUid } from '../../../api/completed-query.ts';
import { useNames } from '../../../api/names.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { CheckboxField, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { GOLDEN_KEY, goldenListQuery, goldenSetQuery } from './golden-queries.ts';
import { contentOf, type GoldenValues, newNugget, newQuestion, valuesOf } from './golden-values.ts';

/** What is asked, and what the answers must say. */
export function QuestionsForm({ set }: { readonly set: GoldenAnswers }) {
  const queries = useQueryClient();
  const permission = useChangePermission();
  const form = useForm<GoldenValues>({ defaultValues: valuesOf(set) });
  const { isDirty, isSubmitting } = form.formState;
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'questions' });
  const save = async (values: GoldenValues) => {
    const saved = await client.goldenAnswers.put(set.name, contentOf(values));
    form.reset(valuesOf(saved));
    queries.setQueryData(goldenSetQuery(set.name).queryKey, saved);
    await queries.invalidateQueries({ queryKey: goldenListQuery.queryKey });
    toastDone('The questions are saved', set.name);
  };
  return (
    <Card>
      <PermissionNotice permission={permission} />
      <ServerForm
        form={form}
        onSend={save}
        label={`Questions of ${set.name}`}
        isDisabled={!permission.isAllowed}
        className="max-w-3xl"
      >
        <TextField
          label="What the set is for"
          maxLength={GOLDEN_SET_DESCRIPTION_CHARACTERS_MAX}
          {...form.register('description')}
        />
        {fields.map(({ id }, at) => (
          <QuestionFields
            key={id}
            at={at}
            onRemove={fields.length > 1 ? () => remove(at) : undefined}
          />
        ))}
        <div className="flex flex-wrap justify-between gap-2">
          <DeleteSet name={set.name} />
          <div className="flex flex-wrap gap-2">
            <Button
              icon={Plus}
              disabled={fields.length >= GOLDEN_QUESTIONS_MAX}
              onClick={() => append(newQuestion(fields.length + 1))}
            >
              Add a question
            </Button>
            <Button kind="primary" type="submit" disabled={!isDirty} isBusy={isSubmitting}>
              Save
            </Button>
          </div>
        </div>
      </ServerForm>
    </Card>
  );
}

interface QuestionFieldsProps {
  readonly at: number;
  readonly onRemove: (() => void) | undefined;
}

function QuestionFields({ at, onRemove }: QuestionFieldsProps) {
  const { register, control, formState } = useFormContext<GoldenValues>();
  const { fields, append, remove } = useFieldArray({ control, name: `questions.${at}.nuggets` });
  const errors = formState.errors.questions?.[at];
  const path = `questions.${at}` as const;
  const number = at + 1;
  const asUser = useWatch({ control, name: `${path}.asUser` }).trim();
  const userName = useNames(isUid(asUser) ? [asUser] : [])(asUser);
  return (
    <fieldset className="flex flex-col gap-3 rounded-card border p-4">
      <legend className="px-1 font-medium">{`Question ${number}`}</legend>
      <div className="flex items-end gap-2">
        <TextField
          className="min-w-0 flex-1"
          label="Id"
          error={errors?.questionId?.message}
          {...register(`${path}.questionId`, { required: 'Enter an id.' })}
        />
        {onRemove !== undefined && (
          <IconButton icon={Trash2} label={`Remove question ${number}`} onClick={onRemove} />
        )}
      </div>
      <TextArea
        label="Question"
        rows={2}
        error={errors?.question?.message}
        {...register(`${path}.question`, { required: 'Enter a question.' })}
      />
      <TextField
        label="Asked as"
        hint={`Name or UID of a user. Empty is whoever starts the run.${
          userName === asUser ? '' : ` This is ${userName}.`
        }`}
        autoComplete="off"
        error={errors?.asUser?.message}
        {...register(`${path}.asUser`)}
      />
      {fields.map(({ id }, index) => (
        <NuggetFields key={id} at={at} index={index} onRemove={() => remove(index)} />
      ))}
      <div>
        <Button
          size="small"
          icon={Plus}
          disabled={fields.length >= GOLDEN_NUGGETS_MAX}
          onClick={() => append(newNugget())}
        >
          Add a nugget
        </Button>
      </div>
      <CheckboxField
        label="The right answer is that there is none"
        {...register(`${path}.mustRefuse`)}
      />
      <TextField
        label="Must not reveal"
        hint="UIDs of nodes of which the answer must say nothing."
        autoComplete="off"
        spellCheck={false}
        error={errors?.mustNotReveal?.message}
        {...register(`${path}.mustNotReveal`)}
      />
    </fieldset>
  );
}

interface NuggetFieldsProps {
  readonly at: number;
  readonly index: number;
  readonly onRemove: () => void;
}

function NuggetFields({ at, index, onRemove }: NuggetFieldsProps) {
  const { register, formState } = useFormContext<GoldenValues>();
  const errors = formState.errors.questions?.[at]?.nuggets?.[index];
  const path = `questions.${at}.nuggets.${index}` as const;
  const number = index + 1;
  return (
    <div className="grid grid-cols-[1fr_auto] items-end gap-2 sm:grid-cols-[1fr_7rem_1fr_auto]">
      <TextField
        label={`Nugget ${number}`}
        error={errors?.text?.message}
        {...register(`${path}.text`)}
      />
      <SelectField
        className="max-sm:order-last max-sm:col-span-2"
        label="It is"
        options={[
          { value: 'vital', label: 'Vital' },
          { value: 'okay', label: 'Okay' },
        ]}
        {...register(`${path}.importance`)}
      />
      <TextField
        className="max-sm:order-last max-sm:col-span-2"
        label="UIDs that say so"
        autoComplete="off"
        spellCheck={false}
        error={errors?.uids?.message}
        {...register(`${path}.uids`)}
      />
      <IconButton
        icon={Trash2}
        label={`Remove nugget ${number} of question ${at + 1}`}
        onClick={onRemove}
      />
    </div>
  );
}

function DeleteSet({ name }: { readonly name: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.goldenAnswers.delete(name),
    onSuccess: async () => {
      await navigate({ to: '/assistant/answers' });
      queries.removeQueries({ queryKey: goldenSetQuery(name).queryKey });
      await queries.invalidateQueries({ queryKey: GOLDEN_KEY });
      toastDone('The set is deleted', name);
    },
    onError: (error) => {
      setIsAsked(false);
      toastError('The set was not deleted', error);
    },
  });
  return (
    <>
      <Button icon={Trash2} onClick={() => setIsAsked(true)}>
        Delete set
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the golden answers “${name}”?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        Its runs and what people said of them go with it.
      </ConfirmDialog>
    </>
  );
}
