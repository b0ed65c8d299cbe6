import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { SelectField, TextArea } from '../../../ui/field.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import {
  type FirstQuestion,
  GoldenNameField,
  NuggetField,
  nuggetsOf,
} from '../answers/golden-fields.tsx';
import { GOLDEN_KEY, goldenListQuery } from '../answers/golden-queries.ts';
import { nextQuestionId } from '../answers/golden-values.ts';

interface GoldenQuestionDialogProps {
  readonly question: string;
  readonly onClose: () => void;
}

/** Adds a question of the chat to a set of golden answers, or begins one with it. */
export function GoldenQuestionDialog({ question, onClose }: GoldenQuestionDialogProps) {
  const sets = useQuery(goldenListQuery);
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title="Make it a golden question"
      description="A run of the set asks it again, and measures whether the answer says what it must."
    >
      <QueryView query={sets} errorTitle="The golden answers could not be read">
        {(items) => (
          <GoldenQuestionForm
            names={items.map(({ name }) => name)}
            question={question}
            onClose={onClose}
          />
        )}
      </QueryView>
    </Dialog>
  );
}

interface FormProps extends GoldenQuestionDialogProps {
  readonly names: readonly string[];
}

interface GoldenQuestionValues extends FirstQuestion {
  /** Empty for a new one. */
  readonly set: string;
}

function GoldenQuestionForm({ names, question, onClose }: FormProps) {
  const queries = useQueryClient();
  const form = useForm<GoldenQuestionValues>({
    defaultValues: { set: names[0] ?? '', name: '', question, nugget: '' },
  });
  const { errors, isSubmitting } = form.formState;
  const isNew = form.watch('set') === '';
  const add = async (values: GoldenQuestionValues) => {
    const name = isNew ? values.name : values.set;
    const { description, questions, version } = isNew
      ? { description: '', questions: [], version: 0 }
      : await client.goldenAnswers.get(name);
    const added = {
      id: nextQuestionId(questions),
      question: values.question,
      nuggets: nuggetsOf(values),
    };
    await client.goldenAnswers.put(name, {
      description,
      questions: [...questions, added],
      version,
    });
    await queries.invalidateQueries({ queryKey: GOLDEN_KEY });
    toastDone('The golden question is added', name);
    onClose();
  };
  return (
    <ServerForm form={form} onSend={add}>
      <SelectField
        label="Set"
        options={[
          ...names.map((name) => ({ value: name, label: name })),
          { value: '', label: 'A new set' },
        ]}
        {...form.register('set')}
      />
      {isNew && <GoldenNameField others={names} />}
      <TextArea
        label="Question"
        rows={3}
        dir="auto"
        error={errors.question?.message}
        {...form.register('question', { required: 'Enter a question.' })}
      />
      <NuggetField />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting}>
          Add question
        </Button>
      </DialogActions>
    </ServerForm>
  );
}
