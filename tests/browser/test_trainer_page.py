"""The studio's trainer, in a real browser with the real server.

The tests compare the numbers on the page with the library's.
"""

import re
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from chainrule import Value, data, nn
from chainrule.support.numbers import format as shown

from ..near import near
from .studio import Pages, cells, close_to, downloaded, state_of, wait_for_text
from .trainer import SMALL, assert_parameters, fitted, numbers, rewind, run_for_a_moment, trainer

# --- runs ----------------------------------------------------------------------------------------


def test_a_new_run_has_the_librarys_initial_parameters(pages: Pages) -> None:
    page = trainer(pages, layers="3,2")
    assert page.inner_text("#epoch-number") == "0"
    assert page.inner_text("#play") == "Start"
    assert_parameters(page, fitted(0, None, None, [3, 2, 1])[0])


def test_one_step_matches_the_library(pages: Pages) -> None:
    page = trainer(pages, layers="3")
    page.click("#step")
    wait_for_text(page, "#epoch-number", "^1$")
    model, history = fitted(1, *data.moons(100, noise=0.1, seed=0), [3, 1])
    assert_parameters(page, model)
    assert close_to(numbers(page, "Loss")[0][1], history.losses[0])


def test_rewinding_to_any_epoch(pages: Pages) -> None:
    page = trainer(pages, layers="3")
    last = run_for_a_moment(page)
    rewind(page, 7)
    X, y = data.moons(100, noise=0.1, seed=0)
    model, history = fitted(7, X, y, [3, 1])
    assert_parameters(page, model)
    assert int(page.get_attribute("#epoch", "max")) >= last
    losses = [float(row[1].replace("−", "-")) for row in numbers(page, "Loss")]
    assert losses[0] == near(history.losses[0], rel=1e-3)
    rewind(page, 15)
    assert_parameters(page, fitted(15, X, y, [3, 1])[0])
    page.click("#reset")
    wait_for_text(page, "#epoch-number", "^0$")


def test_speeds_are_shown_during_a_run(pages: Pages) -> None:
    page = trainer(pages)
    page.click("#play")
    wait_for_text(page, "#steps-rate", r"^[\d,]+$")
    wait_for_text(page, "#frames-rate", r"^\d+$")
    assert page.inner_text("#play") == "Pause"
    page.click("#play")
    wait_for_text(page, "#steps-rate", "–")


def test_the_default_speed_is_slow_enough_to_watch(pages: Pages) -> None:
    page = trainer(pages, speed="")
    assert page.input_value("#speed") == "watch"
    page.click("#play")
    start = time.monotonic()
    wait_for_text(page, "#epoch-number", r"^\d\d$")
    epoch = int(page.inner_text("#epoch-number"))
    assert epoch <= 30 * (time.monotonic() - start) + 10  # 30 per second, fewer on a busy machine
    page.select_option("#speed", "full")
    assert state_of(page)["speed"] == "full"
    page.wait_for_function("() => Number(document.querySelector('#epoch-number').textContent) > 500")


def test_a_slow_run_takes_the_same_steps(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.select_option("#speed", "steps")
    assert state_of(page)["speed"] == "steps"
    last = run_for_a_moment(page, 5)
    assert last < 500
    assert_parameters(page, fitted(last, *data.xor(), [4, 1], lr=0.05)[0])


def test_xor_shows_a_table_of_its_four_cases(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    run_for_a_moment(page, 400)
    rewind(page, 400)
    X, y = data.xor()
    model, _ = fitted(400, X, y, [4, 1], lr=0.05)
    rows = cells(page.locator("#predictions tbody tr"))
    assert [row[0] for row in rows] == ["0 xor 0", "0 xor 1", "1 xor 0", "1 xor 1"]
    assert [row[2] for row in rows] == ["0", "1", "1", "0"]
    for row, x in zip(rows, X, strict=True):
        assert close_to(row[1], float(1 / (1 + np.exp(-model(x).data))))
    assert page.inner_text("#accuracy-number") == "100.0 %"


def test_a_nonfinite_loss_stops_the_run_with_an_explanation(pages: Pages) -> None:
    page = trainer(pages, loss="mse", optimizer="sgd", activation="linear", rate="1000")
    page.click("#play")
    banner = page.get_by_role("alert")
    banner.wait_for()
    assert re.search(r"NaN or infinite|became (NaN|infinite)", banner.inner_text())
    assert page.locator("#play").is_disabled()
    rewind(page, 0)
    assert not banner.is_visible()
    assert page.locator("#play").is_enabled()


def test_changing_the_learning_rate_during_a_run(pages: Pages) -> None:
    page = trainer(pages, layers="3")
    page.click("#play")
    page.wait_for_function("() => Number(document.querySelector('#epoch-number').textContent) >= 10")
    page.fill("#rate", "0.002")
    page.press("#rate", "Enter")
    assert float(page.input_value("#rate-slider")) == near(np.log10(0.002), abs=0.05)
    page.wait_for_timeout(500)
    assert page.inner_text("#play") == "Pause"
    page.click("#play")
    wait_for_text(page, "#play", "Resume")
    page.get_by_role("button", name="Python").locator("visible=true").click()
    wait_for_text(page, "#dialog-body", r"rates = \{\d+: 0.002\}")
    assert state_of(page)["rate"] == "0.002"


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_kept_in_the_url(pages: Pages) -> None:
    page = trainer(pages)
    page.get_by_role("radio", name="Circles").check()
    page.get_by_label("More neurons in layer 2").click()
    page.get_by_label("Fewer neurons in layer 1").click()
    page.get_by_role("button", name="Add layer").click()
    page.select_option("#activation", "relu")
    page.select_option("#optimizer", "sgd")
    page.fill("#samples", "60")
    page.fill("#seed", "7")
    page.fill("#batch", "16")
    page.press("#batch", "Enter")
    page.get_by_role("radio", name="Gradients").check()
    page.get_by_role("radio", name="Linear").check()
    state = state_of(page)
    expected = {"data": "circles", "layers": "7,9,9", "activation": "relu", "optimizer": "sgd"}
    expected |= {"samples": "60", "seed": "7", "batch": "16", "edges": "grads", "scale": "linear"}
    assert {key: state[key] for key in expected} == expected
    page.reload()
    page.wait_for_selector("#play:enabled")
    assert page.get_by_role("radio", name="Circles").is_checked()
    assert page.locator("#layers output").all_inner_texts() == ["7", "9", "9"]
    assert page.input_value("#samples") == "60"
    assert page.get_by_role("radio", name="Gradients").is_checked()
    assert page.get_by_role("radio", name="Linear").is_checked()
    assert page.locator("#plot .point").count() == 60
    page.get_by_label("Remove layer 3").click()
    assert page.locator("#layers output").all_inner_texts() == ["7", "9"]


def test_adding_points_by_click_and_by_keyboard(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.get_by_role("radio", name="Points", exact=True).check()
    wait_for_text(page, "#message", "Click on the plot")
    box = page.locator("#plot svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.6)
    page.select_option("#point-class", "1")
    page.fill("#point-x", "0.5")
    page.fill("#point-y", "-0.25")
    page.get_by_role("button", name="Add point").press("Enter")
    page.wait_for_selector("#play:enabled")
    assert page.inner_text("#point-count") == "2 points"
    first, second = state_of(page)["points"].split(";")
    assert second == "0.5,-0.25,1"
    assert first.endswith(",0")
    page.wait_for_function("() => document.querySelectorAll('#plot .class-1').length === 1")
    assert page.locator("#plot .class-0").count() == 1
    page.get_by_role("button", name="Remove last").click()
    assert page.inner_text("#point-count") == "1 point"


def test_a_click_can_add_a_point_to_a_data_set(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.get_by_role("radio", name="Add point").check()
    box = page.locator("#plot svg").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    wait_for_text(page, "#point-count", "5 points")
    assert state_of(page)["points"].startswith("0,0,0;0,1,1;1,0,1;1,1,0;")


def test_more_than_two_classes_need_cross_entropy(pages: Pages) -> None:
    points = "0,0,0;1,0,1;0,1,2;0.1,0.1,0;0.9,0,1;0,0.9,2"
    page = pages(tab="trainer", speed="full", data="points", points=points, layers="4")
    wait_for_text(page, "#message", "use cross_entropy")
    page.select_option("#loss", "cross_entropy")
    page.wait_for_selector("#play:enabled")
    run_for_a_moment(page, 300)
    assert page.inner_text("#accuracy-number") == "100.0 %"
    shapes = [page.locator(f"#plot .points .class-{k}").first.get_attribute("d") for k in range(3)]
    corners = [path.count("L") for path in shapes]
    assert corners == [0, 3, 2]  # a circle, a square, a triangle
    assert page.get_attribute("#plot .contour", "d")


def test_training_on_a_pasted_table(pages: Pages) -> None:
    page = trainer(pages, layers="2")
    page.get_by_role("radio", name="CSV").check()
    page.fill("#csv", "x,y,label\n0,0,0\n1,1,1\n0,1,0\n")
    page.wait_for_selector("#play:enabled")
    page.wait_for_function("() => document.querySelectorAll('#plot .point').length === 3")
    assert "csv" in state_of(page)
    page.fill("#csv", "x,y,label\n0,0,nonsense\n")
    wait_for_text(page, "#message", "line 2")


def test_loading_a_table_from_a_file(pages: Pages, tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text("a,b,c\n0,0,0\n1,1,1\n0,1,0\n2,2,1\n")
    page = trainer(pages, layers="2")
    page.get_by_role("radio", name="CSV").check()
    page.set_input_files("#csv-file", file)
    page.wait_for_function("() => document.querySelectorAll('#plot .point').length === 4")


# --- drawings ------------------------------------------------------------------------------------


def test_hovering_over_a_sample_shows_the_librarys_output(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    run_for_a_moment(page, 50)
    rewind(page, 50)
    model, _ = fitted(50, *data.xor(), [4, 1], lr=0.05)
    mark = page.locator("#plot .points .point").nth(1).bounding_box()
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    lines = page.inner_text("#tooltip").splitlines()
    assert lines[:3] == ["sample 2", "x 0.0000, y 1.0000", "target 1"]
    output = 1 / (1 + np.exp(-model([0.0, 1.0]).data))
    assert close_to(lines[3].removeprefix("output "), output)
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    assert page.input_value("#sample") == "2"
    assert "target 1" in page.inner_text("#details")


def test_the_decision_boundary_matches_the_network(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    run_for_a_moment(page, 400)
    rewind(page, 400)
    model, _ = fitted(400, *data.xor(), [4, 1], lr=0.05)
    rows = numbers(page, "Output on the plane")
    centre = float(rows[4][5])
    assert centre == near(1 / (1 + np.exp(-model([0.5, 0.5]).data)), abs=0.02)
    # Along the contour, the probability is one half: the logit is 0.
    path = page.get_attribute("#plot .contour", "d")
    places = [tuple(map(float, pair.split())) for pair in re.findall(r"M([\d.-]+ [\d.-]+)", path)]
    inside = [(u, v) for u, v in places if 34 <= u <= 434 and 6 <= v <= 406]
    assert len(inside) > 20
    for u, v in inside:  # the bounds of XOR are -0.15 and 1.15
        x, y = -0.15 + 1.3 * (u - 34) / 400, 1.15 - 1.3 * (v - 6) / 400
        assert model([x, y]).data == near(0.0, abs=0.2)
    # On either side of the boundary, the background has the colour of the predicted class.
    colours = page.evaluate(
        """() => { const c = document.querySelector('.raster canvas');
           const { data } = c.getContext('2d').getImageData(0, 0, 50, 50);
           return [5, 44].map((row) => [...data.slice(4 * (50 * row + 5), 4 * (50 * row + 5) + 3)]); }"""
    )
    assert colours[0][2] > colours[0][0]  # 0 xor 1 is 1: blue
    assert colours[1][0] > colours[1][2]  # 0 xor 0 is 0: orange
    page.wait_for_selector("#plot svg[aria-label*='epoch 400']")


def test_edges_show_weights_gradients_and_updates_without_relying_on_colour(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.click("#step")
    wait_for_text(page, "#epoch-number", "^1$")
    rows = {row[0]: row for row in numbers(page, "Parameters")}
    names = [name for name in rows if not name.endswith(("b", "bias"))]
    for column, label in ((1, "Weights"), (2, "Gradients"), (3, "Updates")):
        page.get_by_role("radio", name=label).check()
        found = page.locator("#network .edge").evaluate_all(
            """all => all.map((e) => [getComputedStyle(e).strokeDasharray !== 'none',
               Number(e.getAttribute('stroke-width'))])"""
        )
        values = [float(rows[name][column].replace("−", "-")) for name in names]
        assert len(found) == len(values) == 12
        assert [dashed for dashed, _ in found] == [x < 0 for x in values]
        widest = max(range(12), key=lambda i: abs(values[i]))
        assert found[widest][1] == max(width for _, width in found)
        assert label.lower().rstrip("s") in page.inner_text("#network-legend").lower()


def test_pointer_and_keyboard_show_the_numbers_of_neurons_and_edges(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    model, _ = fitted(0, None, None, [4, 1])
    neuron = page.locator("#network [aria-label='layer 1, neuron 2']")
    neuron.hover()
    bias = model.layers[0].neurons[1].b.data
    assert f"bias {shown(bias)}" in page.inner_text("#tooltip")
    page.mouse.move(0, 0)
    page.locator("#network .neuron").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "layer 1, neuron 1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    edge = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert edge == "edge from input x to layer 1, neuron 2"
    weight = model.layers[0].neurons[1].w[0].data
    wait_for_text(page, "#details", "gradient")
    assert close_to(page.inner_text("#details").split("weight ")[1].split()[0], weight)


def test_the_gradient_norm_of_each_layer_is_shown(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.click("#step")
    wait_for_text(page, "#epoch-number", "^1$")
    rows = numbers(page, "Parameters")
    gradients = [float(row[2].replace("−", "-")) for row in rows]
    expected = [np.linalg.norm(gradients[:12]), np.linalg.norm(gradients[12:])]
    texts = page.locator("#flow .number").all_inner_texts()
    assert all(close_to(text, x) for text, x in zip(texts, expected, strict=True))


def test_vanishing_and_exploding_gradients_are_reported(pages: Pages) -> None:
    page = pages()
    say = "(flow) => import('/static/studio/static/training/curves.js').then((m) => m.flowWords(flow))"
    assert page.evaluate(say, [1.0, 0.5]) == ""
    assert page.evaluate(say, [0.9e-5, 1.0]).startswith("Layer 1: the gradient vanishes")
    assert page.evaluate(say, [1.1e-5, 1.0]) == ""
    assert page.evaluate(say, [1.0, 1001.0]).startswith("Layer 2: the gradient explodes")


def test_frames_are_decoded_for_any_header_length(pages: Pages) -> None:
    page = pages()
    found = page.evaluate(
        """async () => {
          const { decodeFrame } = await import('/static/studio/static/training/connection.js');
          return ['', 'a', 'ab', 'abc'].map((name) => {
            const text = JSON.stringify({ name, sections: [['u', 2], ['v', 1]] });
            const head = new TextEncoder().encode(text);
            const start = 4 * Math.ceil((4 + head.length) / 4);
            const buffer = new ArrayBuffer(start + 12);
            new Uint8Array(buffer).fill(32);
            new DataView(buffer).setUint32(0, head.length, true);
            new Uint8Array(buffer).set(head, 4);
            new Float32Array(buffer, start).set([1, 2, 3]);
            const frame = decodeFrame(buffer);
            return [frame.name, [...frame.u], [...frame.v]];
          });
        }"""
    )
    assert found == [[name, [1, 2], [3]] for name in ("", "a", "ab", "abc")]


def test_long_loss_curves_are_downsampled(pages: Pages) -> None:
    page = pages()
    found = page.evaluate(
        """async () => {
          const { Losses } = await import('/static/studio/static/training/losses.js');
          const losses = new Losses();
          losses.add(0, Float32Array.from({ length: 10000 }, (_, i) => 10000 - i));
          const few = losses.low.length <= 2048;
          const before = [losses.length, few, Math.min(...losses.low), Math.max(...losses.high)];
          losses.add(4, Float32Array.of(7));
          losses.cut(10);
          return [before, losses.length, losses.at(5), losses.low];
        }"""
    )
    assert found[0] == [10000, True, 1, 10000]
    assert found[1:] == [10, 7, [10000, 9999, 9998, 9997, 7, 9995, 9994, 9993, 9992, 9991]]


# --- samples in the stepper, and exports ---------------------------------------------------------


def test_opening_a_sample_in_the_stepper_and_from_its_link(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    page.fill("#sample", "3")
    page.get_by_role("button", name="Open this sample in the stepper").click()
    model, _ = fitted(0, None, None, [4, 1])
    loss = nn.binary_cross_entropy_with_logits([model([1.0, 0.0])], [1.0])
    wait_for_text(page, "#stepper-view", shown(loss.data))
    assert page.locator("#stepper").is_visible()
    assert "x 1.0000, y 0.0000, target 1" in page.inner_text("#sample-note")
    page.reload()
    wait_for_text(page, "#stepper-view", shown(loss.data))
    page.get_by_role("button", name="Back to the expression").click()
    wait_for_text(page, "#stepper-view", shown(0.1792))


def test_a_sample_of_a_larger_network_is_drawn_folded(pages: Pages) -> None:
    page = trainer(pages, data="xor", layers="8,8")
    page.fill("#sample", "3")
    page.click("#open-sample")
    page.wait_for_selector("#stepper-view .node.group")
    model, _ = fitted(0, None, None, [8, 8, 1])
    inputs = [Value(1.0), Value(0.0)]
    loss = nn.binary_cross_entropy_with_logits([model(inputs)], [1.0])
    loss.backward()
    boxes = page.locator("#stepper-view .node.group .name").all_text_contents()
    assert boxes == [f"layers.{i}.neurons.{k}" for i, n in enumerate((8, 8, 1)) for k in range(n)]
    grads = page.locator("#stepper-view .node.leaf .grad").all_text_contents()
    assert grads == [shown(x.grad) for x in inputs]  # computed in the page, through the boxes
    page.hover('#stepper-view .node.group[data-node="2"]')
    b = model.layers[0].neurons[0].b
    wait_for_text(page, ".chainrule-graph .tip", f"gradient {shown(b.grad)}")
    page.fill("[aria-label='Value of x']", "0.25")
    again = nn.binary_cross_entropy_with_logits([model([0.25, 0.0])], [1.0])
    wait_for_text(page, ".telling", shown(again.data))
    page.get_by_label("Step", exact=True).fill("9")
    title = "layers.1.neurons.0 = neuron(layers.0.neurons.0, …, layers.0.neurons.7)"
    assert page.inner_text(".telling h2") == title
    page.check("#sample-every")
    page.wait_for_selector("tr[data-leaf] th >> text=layers.1.neurons.7.w.7")
    cut = """() => [...document.querySelectorAll("#stepper-view tbody th, #stepper-view .name")]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth || e.textContent.endsWith("…"))
        .map((e) => e.textContent)"""
    assert page.evaluate(cut) == []
    page.reload()
    page.wait_for_selector("tr[data-leaf] th >> text=layers.1.neurons.7.w.7")


def test_a_network_too_large_to_draw_is_reported(pages: Pages) -> None:
    page = trainer(pages, layers="64,64,64")
    page.click("#open-sample")
    wait_for_text(page, "#message", "nodes, more than")
    assert page.locator("#trainer").is_visible()


def test_the_exported_code_reproduces_the_run(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    run_for_a_moment(page, 30)
    rewind(page, 30)
    page.locator("#export-code").click()
    saved = downloaded(page, page.get_by_role("button", name="Download").click)
    code = Path(saved.path()).read_text()
    assert "epochs=30" in code
    names: dict[str, Any] = {}
    exec(compile(code, "run.py", "exec"), names)
    page.keyboard.press("Escape")
    assert_parameters(page, names["model"])


def test_exported_pictures_need_no_style_sheet(pages: Pages) -> None:
    page = trainer(pages, **SMALL)
    run_for_a_moment(page, 20)
    for button, name in (("#export-network", "network.svg"), ("#export-plot-svg", "plot.svg")):
        saved = downloaded(page, page.locator(button).click)
        assert saved.suggested_filename == name
        text = Path(saved.path()).read_text()
        assert "class=" not in text
        images = ET.fromstring(text).findall(".//{http://www.w3.org/2000/svg}image")
        assert len(images) == (7 if name == "network.svg" else 1)
    picture = Path(downloaded(page, page.locator("#export-plot-png").click).path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000
